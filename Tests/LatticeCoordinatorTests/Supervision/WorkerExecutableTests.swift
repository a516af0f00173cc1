import Testing

@testable import LatticeCoordinator

struct WorkerExecutableTests {
    @Test func thisProgramIsTheDefault() throws {
        let own = try WorkerExecutable(nil)
        #expect(own.path.hasPrefix("/"))
        #expect(own.isOwn)
        let other = try WorkerExecutable("/bin/sh")
        #expect(other.start == "/bin/sh")
        #expect(!other.isOwn)
    }

    @Test(
        "An executable that is missing or cannot be executed is named (F20)",
        arguments: [
            ("/nowhere/worker", "there is no such file"), ("/tmp", "it is not an executable file"),
            ("/etc/passwd", "it is not an executable file"),
        ]
    )
    func whatCannotBeStartedIsNamed(path: String, problem: String) {
        let error = #expect(throws: CoordinatorError.self) { _ = try WorkerExecutable(path) }
        #expect(error?.code == .executable)
        #expect(error == .executable(path, problem))
    }
}
