import Testing

@testable import LatticeCoordinator

struct WorkerExecutableTests {
    @Test func thisProgramIsTheDefault() throws {
        #expect(try WorkerExecutable(nil).path.hasPrefix("/"))
        #expect(try WorkerExecutable("/bin/sh").start == "/bin/sh")
    }

    @Test(
        "F20: what is missing or cannot be executed is named",
        arguments: [
            ("/nowhere/worker", "there is no such file"), ("/tmp", "it is not an executable file"),
            ("/etc/passwd", "it is not an executable file"),
        ]
    )
    func whatCannotBeStartedIsNamed(path: String, problem: String) {
        let error = #expect(throws: CoordinatorError.self) { _ = try WorkerExecutable(path) }
        #expect(error?.code == .executable)
        #expect(
            error?.message
                == "cannot start workers from \"\(path)\": \(problem); name an executable that calls"
                + " Worker.launchedBySupervisor"
        )
    }
}
