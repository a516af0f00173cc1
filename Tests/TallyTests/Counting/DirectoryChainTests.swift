import Foundation
import Testing

@testable import TallyProgram

struct DirectoryChainTests {
    /// A chain of directories `d/d/…`, with a file and a directory with a file in each: `f`, `s/f`.
    private func withTree(depth: Int, _ body: ([UInt8]) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("tally-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: root) }
        var folder = root
        for level in 0..<depth {
            let side = folder.appendingPathComponent("s")
            try FileManager.default.createDirectory(at: side, withIntermediateDirectories: true)
            try Data("f\(level)".utf8).write(to: folder.appendingPathComponent("f"))
            try Data("s\(level)".utf8).write(to: side.appendingPathComponent("f"))
            folder = folder.appendingPathComponent("d")
        }
        try body(Array(root.path.utf8))
    }

    private func path(_ level: Int, _ name: String) -> [UInt8] {
        Array((String(repeating: "d/", count: level) + name).utf8)
    }

    private func content(_ path: [UInt8], _ chain: inout DirectoryChain) -> String {
        let descriptor = chain.openFile(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
    }

    @Test("in whatever order, the files are those of their paths, and few directories are open")
    func files() throws {
        let depth = 200
        try withTree(depth: depth) { root in
            var generator = SystemRandomNumberGenerator()
            let down = Array(0..<depth)
            for levels in [down, down.reversed(), down.shuffled(using: &generator)] {
                var chain = DirectoryChain(root: root)
                for level in levels {
                    #expect(content(path(level, "f"), &chain) == "f\(level)")
                    #expect(content(path(level, "s/f"), &chain) == "s\(level)")
                    #expect(chain.count <= DirectoryChain.limit)
                }
            }
        }
    }

    @Test func directoriesAreReadOnTheWayDownAndUp() throws {
        try withTree(depth: 100) { root in
            var chain = DirectoryChain(root: root)
            for level in Array(0..<100) + (0..<100).reversed() {
                let descriptor = chain.openDirectory(path(level, "s"))
                #expect(descriptor >= 0, "level \(level)")
                var status = stat()
                #expect(fstatat(descriptor, "f", &status, 0) == 0)
                close(descriptor)
            }
            #expect(chain.count <= DirectoryChain.limit)
        }
    }

    @Test func whatIsNotThereIsSaidSo() throws {
        try withTree(depth: 3) { root in
            var chain = DirectoryChain(root: root)
            #expect(content(path(1, "x"), &chain) == "No such file or directory")
            #expect(content(path(1, "x/y/z"), &chain) == "No such file or directory")
            #expect(content(path(1, "f/y"), &chain) == "Not a directory")
            #expect(content(path(2, "f"), &chain) == "f2")
            // The root itself, after what is below it.
            let root = chain.openDirectory([])
            #expect(root >= 0)
            close(root)
            // Names that begin alike are not the same directory.
            #expect(content(path(2, "ss/f"), &chain) == "No such file or directory")
        }
    }
}
