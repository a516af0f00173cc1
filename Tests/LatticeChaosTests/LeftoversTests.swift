import Foundation
import Testing

@testable import LatticeChaos

/// Descriptors and processes are looked at where nothing else has any: by the program's own tests.
@MainActor @Suite struct LeftoversTests {
    private final class Owner {}

    @Test("Files and objects that are left are reported by name, and released ones are not")
    func namesWhatIsLeft() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let leftovers = Leftovers(folder: folder.path)
        let owner = Owner()
        leftovers.watch(owner, as: "the first")
        leftovers.watch(Owner(), as: "the second")
        let file = folder.appendingPathComponent("chaos.sock")
        try Data().write(to: file)

        let left = await leftovers.violations(within: .zero).filter { $0.hasPrefix("the ") }
        #expect(left == ["the file \"chaos.sock\" is left", "the first is left, together with its tasks and threads"])
        withExtendedLifetime(owner) {}

        try FileManager.default.removeItem(at: file)
        let later = await leftovers.violations(within: .zero)
        #expect(!later.contains { $0.contains("the file") })

        try Data().write(to: file)
        leftovers.clear()
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}
