import ExampleSupport
import Foundation
import LatticeCore
import Testing

@testable import IndexProgram

@Suite final class FileTreeTests {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("index-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: "\(root)/below/deep", withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(root)/\(path)"))
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    private func key(_ text: String) -> PathKey { PathKey(bytes(text)) }

    @Test("Files whose names differ only in normalisation, or are not UTF-8, are separate files (F95)")
    func namesAreBytes() async throws {
        let names = [bytes("caf\u{E9}"), bytes("cafe\u{301}"), [0x66, 0xFF]]
        for (number, name) in names.enumerated() {
            let path = bytes(root) + [FilePath.slash] + name
            let descriptor = FilePath.withCString(path) { creat($0, 0o600) }
            let text = bytes(String(repeating: "word ", count: number + 1))
            #expect(pwrite(descriptor, text, text.count, 0) == text.count)
            close(descriptor)
        }
        let files = try FileTree.files(below: bytes(root))
        #expect(Set(files.map(\.path)) == Set(names.map(PathKey.init)))
        var state = IndexState()
        try await FileReader(root: bytes(root)).read(files) { state.add($0) }
        let answer = Answer(to: "word", in: state.files)
        #expect(names.map { answer.counts[PathKey($0)] } == [1, 2, 3])
        let lines = await SearchRun.lines(answer, path: bytes("x"))
        let expected = names.enumerated().map { bytes("x/") + $1 + bytes(":\($0 + 1)") }
        #expect(Set(lines) == Set(expected))
    }

    @Test func regularFilesAreFound() throws {
        try write("one", to: "a")
        try write("", to: ".hidden")
        try write("three", to: "below/deep/b")
        try FileManager.default.createSymbolicLink(atPath: "\(root)/link", withDestinationPath: "a")
        let files = try FileTree.files(below: bytes(root)).sorted { $0.path.rawValue < $1.path.rawValue }
        #expect(files.map(\.path.rawValue) == [".hidden", "a", "below/deep/b"])
        #expect(files.map(\.stamp.size) == [0, 3, 5])
    }

    @Test func aFileIsItsOwnTree() throws {
        try write("one", to: "a")
        #expect(try FileTree.files(below: bytes("\(root)/a")).map(\.path) == [PathKey([])])
        #expect(FileTree.join(bytes("\(root)/a"), []) == bytes("\(root)/a"))
        #expect(FileTree.join(bytes("/"), bytes("a")) == bytes("/a"))
    }

    @Test func aMissingPathHasNoFiles() throws {
        #expect(try FileTree.files(below: bytes("\(root)/none")) == [])
    }

    @Test func filesAreReadInBatches() async throws {
        for number in 0..<300 { try write("word \(number) word", to: "\(number)") }
        try Data([0x61, 0]).write(to: URL(fileURLWithPath: "\(root)/binary"))
        var read: IndexedFiles = [:]
        var batches = 0
        try await FileReader(root: bytes(root)).read(FileTree.files(below: bytes(root))) { files in
            for (path, file) in files { read[path] = file }
            batches += 1
        }
        #expect(read.count == 301)
        #expect(batches >= 3)
        #expect(read[key("7")]?.words?.count(of: Array("word".utf8)) == 2)
        #expect(read[key("7")]?.words?.count(of: Array("7".utf8)) == 1)
        #expect(read[key("binary")]?.words == nil)
    }
}
