import Foundation
import LatticeCore
import LatticeTesting
import Testing

@Suite struct ModuleTests {
    @Test("Test helpers are in a module of their own (W38)")
    func helpers() {
        let helpers: [any Any.Type] = [
            AsyncStreamRecorder<Int>.self, InteractorTestHarness<Int, Int>.self, TestClock.self, TestEventTask.self,
            TestInstant.self, TestPlacement.self, TestViewModel<Feature<Int, Int, Int>>.self,
        ]
        for helper in helpers { #expect(String(reflecting: helper).hasPrefix("LatticeTesting.")) }
    }

    @Test("No shipped module imports a test helper or a test framework (W38)")
    func shipped() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let name = file.path.dropFirst(sources.path.count)
            guard !name.hasPrefix("/LatticeTesting/") else { continue }
            count += 1
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                // Imports are not indented, as source code in a string literal is.
                guard line.first != " " else { continue }
                let words = line.split(separator: " ")
                guard let index = words.firstIndex(of: "import"), index < 2,
                    let module = words.dropFirst(index + 1).first
                else { continue }
                #expect(!["LatticeTesting", "LatticeTestSupport", "Testing", "XCTest"].contains(module), "\(name)")
            }
        }
        #expect(count > 100)
    }
}
