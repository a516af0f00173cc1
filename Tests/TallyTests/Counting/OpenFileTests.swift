import ExampleSupport
import Foundation
import Testing

@testable import TallyProgram

struct OpenFileTests {
    private func count(_ path: String) throws -> FileCount {
        var directories = DirectoryChain(root: Array(path.utf8))
        var file = try OpenFile([], in: &directories)
        defer { file.close() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 64)
        defer { buffer.deallocate() }
        var counter = TextCounter()
        while let piece = try file.readPiece(into: buffer) { counter.count(piece) }
        return counter.count(of: [], bytes: file.bytes)
    }

    #if os(Linux)
    /// As the C library reads it, which does not ask for the size.
    private func contents(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    @Test("a file that tells no size is read until its end, though each time it gives less than is asked for")
    func unknownSize() throws {
        let path = "/proc/kallsyms"
        let expected = try #require(contents(path))
        // More than what such a file gives at a time.
        try #require(expected.count > 4_096)
        let counted = try count(path)
        #expect(counted.lines == expected.count { $0 == UInt8(ascii: "\n") })
        #expect(counted.bytes == expected.count)
    }

    @Test("a file that tells no size and does not end is no longer read after a limit, and says so")
    func noEnd() throws {
        let error = #expect(throws: FileFailure.self) { _ = try count("/proc/self/pagemap") }
        #expect(error?.reason == "it has no end: it tells no size, and goes on after 16 MiB")
    }
    #endif

    @Test func aFileThatTellsItsSizeMayBeLarger() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("tally-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: path) }
        #expect(FileManager.default.createFile(atPath: path.path, contents: nil))
        // Nothing is stored of most of it; its file system is one that stores.
        let size = OpenEnd.fullLimit + 4_096
        #expect(truncate(path.path, Int(size)) == 0)
        #expect(try count(path.path).bytes == size)
    }
}
