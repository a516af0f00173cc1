import LatticeConcurrency
import LatticeTransport

/// The owner of a ``ScrapeRequest``: it reads the request from a connection, and writes the answer.
///
/// Everything here happens on the event loop of the connection.
final class ScrapeConnection: ConnectionHandler {
    private struct LoopState {
        var request: ScrapeRequest
        /// The bytes of the answer that are not written yet.
        var rest: ArraySlice<UInt8> = []
        var timer: EventLoopTimer?
    }

    private let connection: any Connection
    private let loopState: LoopBound<LoopState>
    private let onRequest: @Sendable (ScrapeConnection) -> Void
    private let onEnd: @Sendable (ScrapeConnection) -> Void

    /// - Parameters:
    ///   - connection: A connection that is not started.
    ///   - hosts: The hosts that a request may name, or nil for all.
    ///   - onRequest: Called when the metrics are wanted. Pass their text to ``answer(_:)``.
    ///   - onEnd: Called when the connection has closed.
    init(
        _ connection: any Connection,
        hosts: Set<String>?,
        onRequest: @escaping @Sendable (ScrapeConnection) -> Void,
        onEnd: @escaping @Sendable (ScrapeConnection) -> Void
    ) {
        self.connection = connection
        self.onRequest = onRequest
        self.onEnd = onEnd
        loopState = LoopBound(LoopState(request: ScrapeRequest(hosts: hosts)), to: connection.eventLoop.thread)
    }

    /// Begins to read.
    ///
    /// - Parameter milliseconds: The time in which the request must be answered. After that the connection is closed.
    func start(within milliseconds: Int64) {
        let (loop, limit) = (connection.eventLoop, milliseconds)
        loopState.value.timer = loop.after(milliseconds: limit) { [self] in expire(graceMilliseconds: limit) }
        connection.start(handler: self)
    }

    /// Sends the metrics, unless the connection has ended.
    func answer(_ text: String) {
        perform(loopState.value.request.answer(text))
    }

    /// A Boolean value that indicates whether the request has not arrived completely.
    var isReading: Bool { loopState.value.request.isReading }
    /// A Boolean value that indicates whether the request waits for the metrics.
    var isWaiting: Bool { loopState.value.request.isWaiting }

    func close() {
        connection.close()
    }

    /// Closes the connection, after an error if there is a request. A reader that is too slow for that error gets the
    /// same time once more, and nothing after it.
    private func expire(graceMilliseconds: Int64) {
        loopState.value.timer = nil
        guard let output = loopState.value.request.expire() else { return close() }
        loopState.value.timer = connection.eventLoop.after(milliseconds: graceMilliseconds) { [self] in
            loopState.value.timer = nil
            close()
        }
        perform(output)
    }

    private func perform(_ output: ScrapeRequest.Output?) {
        switch output {
        case .scrape: onRequest(self)
        case .send(let text):
            loopState.value.rest = Array(text.utf8)[...]
            write()
        case nil: break
        }
    }

    private func write() {
        let rest = loopState.value.rest
        do {
            let written = try rest.withUnsafeBytes { try connection.write($0) }
            loopState.value.rest = rest.dropFirst(written)
            if loopState.value.rest.isEmpty { close() }
        } catch {
            // The other side has gone, so no process waits for the answer.
            close()
        }
    }

    func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {
        perform(loopState.value.request.receive(bytes))
    }

    func connectionWritable(_ connection: any Connection) {
        write()
    }

    func connectionClosed(_ connection: any Connection, error: TransportError?) {
        if let timer = loopState.value.timer.take() { connection.eventLoop.cancel(timer) }
        _ = loopState.value.request.expire()
        onEnd(self)
    }
}
