import LatticeCore
import LatticeTransport
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10))) struct PathStatusTests {
    private static let taken = TransportError(code: .addressInUse, message: "In use.")
    private static let unsafe = TransportError(code: .unsafePath, message: "/run/s is not a socket. Remove it.")

    @Test(
        "The status of the socket's path is logged and can be read (F75)",
        arguments: [
            (
                PathEvent.restored(.socket),
                "The socket /run/s was deleted or replaced, and was created again. No client was disconnected."
            ),
            (
                .restored(.lock),
                "The lock /run/s.lock was deleted or replaced, and was created again. No client was disconnected."
            ),
            (
                .restored([.socket, .lock]),
                "The socket /run/s and its lock were deleted or replaced, and were created again. No client was"
                    + " disconnected."
            ),
            (
                .lost(taken),
                CoordinatorError.lostPath("/run/s", taken).message
            ),
            (
                .lost(unsafe),
                CoordinatorError.lostPath("/run/s", unsafe).message
            ),
            (.regained, "New clients at /run/s reach this coordinator again."),
        ]
    )
    func says(event: PathEvent, line: String) {
        let log = LogLines()
        let status = PathStatus(path: "/run/s", events: RuntimeEvents([.logging(to: log.makeLogger())]))
        status.update(event)
        #expect(log.lines == [line])
        guard case .lost = event else { return #expect(status.error == nil) }
        #expect(status.error?.code == .listening)
        #expect(status.error?.message == line)
        status.update(.regained)
        #expect(status.error == nil)
    }
}
