import LatticeTransport
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(3))) struct PathStatusTests {
    private static let taken = TransportError(code: .addressInUse, message: "In use.")
    private static let unsafe = TransportError(code: .unsafePath, message: "/run/s is not a socket. Remove it.")

    @Test(
        "F75: what became of the path is logged, and can be asked for",
        arguments: [
            (
                PathEvent.restored(.socket),
                "the socket /run/s was deleted or replaced, and made again; nobody was disconnected"
            ),
            (.restored(.lock), "the lock /run/s.lock was deleted or replaced, and made again; nobody was disconnected"),
            (
                .restored([.socket, .lock]),
                "the socket /run/s and its lock were deleted or replaced, and made again; nobody was disconnected"
            ),
            (
                .lost(taken),
                "another coordinator serves at /run/s now: new clients go there, and this one serves only those that are"
                    + " connected; stop one of the two"
            ),
            (
                .lost(unsafe),
                "the socket /run/s or its lock was deleted or replaced, and new clients may not find this coordinator,"
                    + " which tries again every second: /run/s is not a socket. Remove it."
            ),
            (.regained, "new clients at /run/s come to this coordinator again"),
        ]
    )
    func says(news: PathEvent, line: String) {
        let log = LogLines()
        let status = PathStatus(path: "/run/s", logger: log.makeLogger())
        status.hear(news)
        #expect(log.lines == [line])
        guard case .lost = news else { return #expect(status.error == nil) }
        #expect(status.error?.code == .listening)
        #expect(status.error?.message == line)
        status.hear(.regained)
        #expect(status.error == nil)
    }
}
