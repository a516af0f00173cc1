import LatticeCore
import LatticeTransport
import Testing

@testable import LatticeCoordinator

/// The code and the whole message of each error. Other tests check the codes only.
@Suite struct CoordinatorErrorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: CoordinatorError
        let code: CoordinatorError.Code
        let testDescription: String

        init(_ error: CoordinatorError, _ code: CoordinatorError.Code, _ message: String) {
            self.error = error
            self.code = code
            testDescription = message
        }
    }

    @Test("Each error has its code, and a message that says what to do", arguments: features + instances + system)
    func message(_ row: Row) {
        #expect(row.error.code == row.code)
        #expect(row.error.message == row.testDescription)
        #expect("\(row.error)" == row.testDescription)
    }

    static let features: [Row] = [
        Row(
            .notHosted("nothing", hosted: ["journal", "other"]),
            .notHosted,
            """
            The coordinator does not host "nothing". It hosts: journal, other. Pass the feature to \
            withCoordinator(hosting:).
            """
        ),
        Row(
            .notHosted("nothing", hosted: []),
            .notHosted,
            """
            The coordinator does not host "nothing". It hosts no features. Pass the feature to \
            withCoordinator(hosting:).
            """
        ),
        Row(.workerFailed("journal", "it died"), .workerFailed, "No worker serves \"journal\": it died"),
        Row(
            .notOpened("journal", .milliseconds(200), .connecting),
            .workerFailed,
            """
            No worker served "journal" within 0.2 seconds. Its status is: connecting. Look into the log, or try again \
            later.
            """
        ),
        Row(
            .duplicate("journal"),
            .duplicate,
            "Two hosted features have the identifier \"journal\". Give each feature its own."
        ),
        Row(.invalid("The name is too long. Shorten it."), .invalid, "The name is too long. Shorten it."),
    ]

    static let instances: [Row] = [
        Row(
            .tooMany(3),
            .tooMany,
            "The coordinator has 3 feature instances, its maximum. Close some, or allow more."
        ),
        Row(
            .tooManyOfClient(1),
            .tooMany,
            """
            The client asked for more than 1 new feature instance, its maximum. Use instances that exist, or have it \
            close some.
            """
        ),
        Row(
            .tooManyWorkers(2, in: "each"),
            .tooMany,
            """
            The group "each" has 2 workers, its maximum, and each one serves an instance. Close one of the instances, \
            or allow more workers.
            """
        ),
        Row(
            .exists("journal", "i"),
            .exists,
            """
            The instance "i" of "journal" already exists and keeps its state, so it cannot start from another one. A \
            client may have opened it. Restore instances in the configuration's restoring, or close this one first.
            """
        ),
        Row(
            .exists("journal", ""),
            .exists,
            """
            The instance of "journal" already exists and keeps its state, so it cannot start from another one. A \
            client may have opened it. Restore instances in the configuration's restoring, or close this one first.
            """
        ),
        Row(.stopping, .stopping, "The coordinator is stopping. Try again when it is running again."),
    ]

    private static let taken = TransportError(code: .addressInUse, message: "In use.")
    private static let unsafe = TransportError(code: .unsafePath, message: "/run/s is not a socket. Remove it.")

    static let system: [Row] = [
        Row(.listening(taken), .listening, "The coordinator cannot listen for clients. In use."),
        Row(
            .noPlace(unsafe),
            .listening,
            "The directory for sockets cannot be used. /run/s is not a socket. Remove it."
        ),
        Row(
            .lostPath("/run/s", taken),
            .listening,
            """
            Another coordinator is serving at /run/s now. New clients connect to it, and this coordinator serves only \
            the clients that are connected already. Stop one of the two.
            """
        ),
        Row(
            .lostPath("/run/s", unsafe),
            .listening,
            """
            The socket /run/s or its lock was deleted or replaced. New clients may not find this coordinator, which \
            tries every second to create the files again. /run/s is not a socket. Remove it.
            """
        ),
        Row(
            .executable("/tmp", "it is not an executable file"),
            .executable,
            """
            The coordinator cannot start workers from "/tmp": it is not an executable file. Name an executable that \
            calls Worker.launchedBySupervisor.
            """
        ),
        Row(
            .noOwnExecutable("Permission denied"),
            .executable,
            """
            The coordinator cannot start workers from this program, because /proc/self/exe does not say which file \
            that is: Permission denied. Mount /proc, or set workerExecutable.
            """
        ),
        Row(
            .noFiles(64, workers: 1),
            .invalid,
            """
            This process may open 64 files. All are reserved for the program and 1 worker, so none is left for \
            clients. Allow more open files (ulimit -n), or fewer workers.
            """
        ),
        Row(
            .noThreads("the limit is 9", workers: 2),
            .invalid,
            """
            This process cannot start the threads for a coordinator and 2 workers: the limit is 9. Allow its user \
            more tasks (ulimit -u), or use fewer workers.
            """
        ),
    ]

    @Test("Errors that another error caused have it as their cause, which is ignored when errors are compared")
    func causes() {
        for error in [CoordinatorError.listening(Self.taken), .noPlace(Self.taken), .lostPath("/run/s", Self.taken)] {
            #expect((error.cause as? TransportError)?.code == .addressInUse)
            #expect(error == CoordinatorError(.listening, error.message))
        }
        #expect(CoordinatorError.stopping.cause == nil)
    }
}
