import Foundation
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

    @Test func regularFilesAreFound() throws {
        try write("one", to: "a")
        try write("", to: ".hidden")
        try write("three", to: "below/deep/b")
        try FileManager.default.createSymbolicLink(atPath: "\(root)/link", withDestinationPath: "a")
        let files = try FileTree.files(below: root).sorted { $0.path < $1.path }
        #expect(files.map(\.path) == [".hidden", "a", "below/deep/b"])
        #expect(files.map(\.stamp.size) == [0, 3, 5])
    }

    @Test func aFileIsItsOwnTree() throws {
        try write("one", to: "a")
        #expect(try FileTree.files(below: "\(root)/a").map(\.path) == [""])
        #expect(FileTree.join("\(root)/a", "") == "\(root)/a")
        #expect(FileTree.join("/", "a") == "/a")
    }

    @Test func whatIsGoneHasNoFiles() throws {
        #expect(try FileTree.files(below: "\(root)/none") == [])
    }

    @Test func filesAreReadInBatches() async throws {
        for number in 0..<300 { try write("word \(number) word", to: "\(number)") }
        try Data([0x61, 0]).write(to: URL(fileURLWithPath: "\(root)/binary"))
        var read: [String: IndexedFile] = [:]
        var batches = 0
        try await FileReader(root: root).read(FileTree.files(below: root)) { files in
            read.merge(files) { one, _ in one }
            batches += 1
        }
        #expect(read.count == 301)
        #expect(batches >= 3)
        #expect(read["7"]?.words?.count(of: Array("word".utf8)) == 2)
        #expect(read["7"]?.words?.count(of: Array("7".utf8)) == 1)
        #expect(read["binary"]?.words == nil)
    }
}
