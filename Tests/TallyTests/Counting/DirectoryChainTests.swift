import ExampleSupport
import Foundation
import TallyProgram
import Testing

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

    @Test("Files are found by their paths in any order, and few directories are open")
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

    /// Makes a chain of directories `d/d/…` with a file `f` in each, however deep, and removes it afterwards.
    private func withDeepChain(depth: Int, _ body: ([UInt8]) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("tally-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        let top = Glibc.open(root.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(top >= 0)
        var folder = dup(top)
        for _ in 0..<depth {
            close(openat(folder, "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            #expect(mkdirat(folder, "d", 0o700) == 0)
            let below = openat(folder, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            close(folder)
            folder = below
        }
        // From the bottom up, as no path is short enough to name what lies there.
        defer {
            for _ in 0..<depth {
                let above = openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                unlinkat(above, "d", AT_REMOVEDIR)
                unlinkat(above, "f", 0)
                close(folder)
                folder = above
            }
            close(folder)
            close(top)
            rmdir(root.path)
        }
        try body(Array(root.path.utf8))
    }

    /// Returns the total length of the paths that are opened in a chain: to read all directories downwards, and to open
    /// all files downwards, upwards, and upwards after a file at the bottom.
    private func costs(depth: Int) throws -> [Int] {
        var costs: [Int] = []
        try withDeepChain(depth: depth) { root in
            var walk = DirectoryChain(root: root)
            for level in 0..<depth {
                let descriptor = walk.openDirectory(path(level, "d"))
                #expect(descriptor >= 0, "level \(level)")
                close(descriptor)
            }
            costs.append(walk.followedBytes)
            let down = Array(0..<depth)
            for levels in [down, down.reversed(), down + down.reversed()] {
                var files = DirectoryChain(root: root)
                for level in levels {
                    let descriptor = files.openFile(path(level, "f"), O_RDONLY | O_CLOEXEC)
                    #expect(descriptor >= 0, "level \(level)")
                    #expect(files.count <= DirectoryChain.limit)
                    close(descriptor)
                }
                costs.append(files.followedBytes)
            }
        }
        return costs
    }

    @Test("Opening all of a chain of 2,000 folders costs about twice as much as 1,000, not four times")
    func deepChains() throws {
        for (half, whole) in zip(try costs(depth: 1_000), try costs(depth: 2_000)) {
            #expect(whole < 3 * half, "\(half), then \(whole)")
            // From the root each time it would be 2,000 bytes a file, twice.
            #expect(whole < 2_000 * 2 * 400, "\(whole)")
        }
    }

    @Test func missingFilesAreReported() throws {
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
