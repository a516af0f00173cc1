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
    /// Returns a file's content as the C library reads it, without asking for the size.
    private func contents(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    @Test("A file without a size is read until its end, although each read returns less than was requested")
    func unknownSize() throws {
        let path = "/proc/kallsyms"
        let expected = try #require(contents(path))
        // The content is longer than one read of such a file returns.
        try #require(expected.count > 4_096)
        let counted = try count(path)
        #expect(counted.lines == expected.count { $0 == UInt8(ascii: "\n") })
        #expect(counted.bytes == expected.count)
    }

    @Test("A file without a size or an end is read up to a limit, and the error says so")
    func noEnd() throws {
        let error = #expect(throws: FileFailure.self) { _ = try count("/proc/self/pagemap") }
        #expect(error?.reason == "it has no end: it reports no size, and continues after 16 MiB")
    }
    #endif

    @Test func aFileWithASizeMayBeLarger() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("tally-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: path) }
        #expect(FileManager.default.createFile(atPath: path.path, contents: nil))
        // The file is sparse, and is on a file system that stores files.
        let size = OpenEnd.fullLimit + 4_096
        #expect(truncate(path.path, Int(size)) == 0)
        #expect(try count(path.path).bytes == size)
    }
}
