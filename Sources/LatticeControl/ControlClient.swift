import LatticeCoding
import LatticeConcurrency
package import LatticeSession
import LatticeTransport
package import LatticeWire

/// A connection of a tool to a coordinator. It reads descriptions and asks for acts, such as the restart of a worker.
/// It opens no features, and knows none of their types.
///
/// The coordinator does not count the tool as a client. You get a control client from
/// ``withControlClient(connectingTo:timeout:isolation:_:)``.
public final class ControlClient: Sendable {
    typealias Answer = OneShot<Result<DescriptionMessage, ControlError>>
    typealias Operated = OneShot<Result<OperatedMessage, ControlError>>

    /// The path of the coordinator's socket.
    public let socketPath: String
    let timeout: Duration
    private let connectTimeout: Duration
    private let reactor: Reactor
    let core = Locked(Core())

    /// What waits for descriptions.
    enum Waiter {
        /// One answer.
        case answer(Answer)
        /// The messages of a subscription.
        case subscriber(DescriptionSubscriber)
    }

    struct Core {
        var requests = PendingRequests<Waiter, SessionError>()
        var operations = PendingRequests<Operated, SessionError>()
        var session: Session?
        /// The process ID of the coordinator, as the kernel reports it.
        var process: Int32?
        var opened = OneShot<Result<Void, ControlError>>()
    }

    /// - Parameter connectTimeout: The time that the handshake may take, or nil for the same time as for an answer.
    init(path: String, timeout: Duration, connectTimeout: Duration? = nil) throws(ControlError) {
        socketPath = path
        self.timeout = timeout
        self.connectTimeout = connectTimeout ?? timeout
        do throws(TransportError) {
            reactor = try Reactor.start(name: "lattice-control")
        } catch {
            throw .connecting(path, error)
        }
    }

    /// The process ID of the coordinator, or nil if the system does not report it.
    public var processID: Int32? { core.withLock(\.process) }

    /// Connects and shakes hands.
    func connect() async throws {
        let connection: SocketConnection
        do throws(TransportError) {
            connection = try SocketConnection.connect(to: SocketPath(socketPath), reactor: reactor)
        } catch {
            throw ControlError.connecting(socketPath, error)
        }
        try await connect(over: connection)
    }

    /// Shakes hands over a connection.
    func connect(over connection: any Connection) async throws {
        let hello = Hello(role: .tool, incarnation: 0, processID: UInt32(ProcessIdentity.own), features: [])
        let session = Session(
            over: connection,
            as: .initiator(hello),
            handshakeTimeout: connectTimeout,
            maximumPayload: 0,
            handler: self
        )
        let opened = core.withLock { core in
            core.session = session
            core.process = connection.peer.processID
            return core.opened
        }
        session.start()
        try await opened.value.get()
    }

    /// Asks the coordinator for a page of a section.
    ///
    /// ```swift
    /// let largest = try await control.describe("instances", sortedBy: "viewBytes", limit: 10)
    /// ```
    ///
    /// - Parameters:
    ///   - section: The name of the section, at most 64 bytes. An empty name asks for the list of all sections.
    ///   - filter: A text that the described rows contain, 1 to 255 bytes, or nil for all rows.
    ///   - key: The key by which rows are ranked, or nil for the order of the section. Texts ascend, and numbers
    ///     descend.
    ///   - reversed: Whether the order is reversed.
    ///   - limit: The maximum number of rows, or nil for the default of the coordinator. A coordinator of this version
    ///     sends 100 by default, and at most 1,000.
    ///   - offset: The number of rows to leave out.
    ///   - number: The value of the key `number` after which the described rows come, or nil for all rows. With the
    ///     number of the last row of a page of the section `log`, you get the records that came later.
    /// - Returns: The page.
    /// - Throws: `ControlError` if there is no answer within the timeout of the client, if the coordinator has no such
    ///   section or sort key or refuses, or if an argument is outside its range. `CancellationError` if the calling
    ///   task is cancelled.
    public func describe(
        _ section: String = "",
        containing filter: String? = nil,
        sortedBy key: String? = nil,
        reversed: Bool = false,
        limit: Int? = nil,
        offset: Int = 0,
        after number: UInt64? = nil
    ) async throws -> SectionDescription {
        var message = DescribeMessage(
            section,
            containing: filter,
            sortedBy: key,
            reversed: reversed,
            limit: limit,
            offset: offset
        )
        message.after = number.map { min($0, MessageLimits.maximumGrowing) }
        return try await page(for: message)
    }

    /// Asks the coordinator for a page, once.
    func page(for request: DescribeMessage) async throws -> SectionDescription {
        try request.check()
        var request = request
        request.intervalMilliseconds = nil
        let answer = try await answer(to: request)
        guard answer.code == .described else { throw ControlError.answered(answer) }
        var follower = DescriptionFollower(request.section, offset: Int(request.offset ?? 0))
        return try follower.receive(answer, at: .now)
    }

    private func answer(to message: DescribeMessage) async throws -> DescriptionMessage {
        let waiter = Answer()
        let (beginning, session) = core.withLock { ($0.requests.begin(.answer(waiter)), $0.session) }
        switch beginning {
        case .send(let number):
            var message = message
            message.request = number
            session?.sendControl(message)
        case .tooMany: throw ControlError.tooMany(PendingRequests<Waiter, SessionError>.maximum)
        case .ended(let error): throw ControlError.ended(socketPath, error, asked: false)
        }
        guard let answer = try await waiter.value(within: timeout) else {
            throw ControlError.silent(socketPath, within: timeout)
        }
        return try answer.get()
    }

    // MARK: Acts

    /// Asks the coordinator to act, and waits until the act is done.
    ///
    /// ```swift
    /// let result = try await control.operate("restart", ["target": "uploads"])
    /// print(result.message)
    /// ```
    ///
    /// The coordinator logs the act with this process. If the function throws because there was no answer in time, the
    /// act may be done nevertheless.
    ///
    /// - Parameters:
    ///   - act: The name of the act, 1 to 64 bytes. A coordinator of this version has `restart`, `drain`, `cancel`,
    ///     `retry` and `drop`, which section 11.4 of the protocol describes.
    ///   - arguments: The arguments of the act, which take at most 4,096 bytes when they are encoded.
    ///   - timeout: The time to wait for the answer, or nil for the timeout of the client. A drain takes as long as its
    ///     own time limit allows.
    /// - Returns: What was done.
    /// - Throws: `ControlError` if there is no answer in time, if nothing was done, or if an argument is outside its
    ///   range. `CancellationError` if the calling task is cancelled.
    @discardableResult
    public func operate(
        _ act: String,
        _ arguments: [String: DescriptionValue] = [:],
        timeout: Duration? = nil
    ) async throws -> OperationResult {
        var writer = CBORWriter()
        DescriptionValue.encode(arguments, into: &writer)
        guard 1...MessageLimits.maximumSection ~= act.utf8.count,
            writer.bytes.count <= MessageLimits.maximumArguments
        else {
            throw ControlError.invalid(
                "An act has a name of 1 to \(MessageLimits.maximumSection) bytes and arguments of at most"
                    + " \(MessageLimits.maximumArguments) bytes."
            )
        }
        let waiter = Operated()
        let (beginning, session) = core.withLock { ($0.operations.begin(waiter), $0.session) }
        switch beginning {
        case .send(let number):
            session?.sendControl(OperateMessage(request: number, act: act, arguments: writer.bytes))
        case .tooMany: throw ControlError.tooMany(PendingRequests<Operated, SessionError>.maximum)
        case .ended(let error): throw ControlError.ended(socketPath, error, asked: false)
        }
        let timeout = timeout ?? self.timeout
        guard let answer = try await waiter.value(within: timeout) else {
            throw ControlError.silent(socketPath, within: timeout)
        }
        return try OperationResult(answer.get())
    }

    /// Says goodbye and ends.
    func close() {
        core.withLock(\.session)?.end()
        reactor.stop()
    }
}

extension ControlClient: SessionHandler {
    package func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        let opened = core.withLock { core in
            core.requests.opened()
            core.operations.opened()
            return core.opened
        }
        opened.complete(.success(()))
    }

    package func session(_ session: Session, opens channel: UInt32, _ open: Open) throws(WireError) {
        throw .unexpected(.open, at: "a tool, which serves no features")
    }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        switch kind {
        case .description:
            let answer = try DescriptionMessage(decoding: body)
            // An older coordinator does not number its answer, because it knows no subscriptions.
            let isLast = answer.code != .described || answer.update == nil
            guard let waiter = core.withLock({ $0.requests.answered(answer.request, isLast: isLast) }) else {
                throw .unasked(kind)
            }
            switch waiter {
            case .answer(let waiter): waiter.complete(.success(answer))
            case .subscriber(let subscriber): if subscriber.receive(answer) { unsubscribe(subscriber) }
            }
        case .operated:
            let answer = try OperatedMessage(decoding: body)
            guard let waiter = core.withLock({ $0.operations.answered(answer.request) }) else { throw .unasked(kind) }
            waiter.complete(.success(answer))
        default: throw .unexpected(kind, at: "a tool")
        }
    }

    package func sessionClosed(_ session: Session, error: SessionError?) {
        let (opened, waiters, operations) = core.withLock { core in
            (core.opened, core.requests.ended(error), core.operations.ended(error))
        }
        opened.complete(.failure(.ended(socketPath, error ?? SessionError.endedEarly, asked: false)))
        for waiter in waiters {
            switch waiter {
            case .answer(let waiter): waiter.complete(.failure(.ended(socketPath, error, asked: true)))
            case .subscriber(let subscriber): subscriber.end(.ended(socketPath, error, asked: true))
            }
        }
        for waiter in operations { waiter.complete(.failure(.ended(socketPath, error, asked: true))) }
    }
}

extension WireError {
    fileprivate static func unasked(_ kind: MessageKind) -> WireError {
        .unexpected(kind, at: "a tool that has not asked for it")
    }
}

/// Connects to a coordinator as a tool for the duration of a closure.
///
/// ```swift
/// try await withControlClient(connectingTo: path) { control in
///     let coordinator = try await control.describe("coordinator")
///     print(coordinator.rows[0]["uptimeMilliseconds"]?.int ?? 0)
/// }
/// ```
///
/// - Parameters:
///   - path: The path of the coordinator's socket.
///   - timeout: The time within which the coordinator must accept the tool, and answer each request.
///   - isolation: The isolation of the caller, in which the closure runs.
///   - body: A closure that uses the control client.
/// - Returns: The result of the closure.
/// - Throws: `ControlError` if the coordinator cannot be reached or refuses, and the errors of the closure.
public func withControlClient<Result>(
    connectingTo path: String,
    timeout: Duration = .seconds(5),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ControlClient) async throws -> Result
) async throws -> Result {
    let client = try ControlClient(path: path, timeout: timeout)
    defer { client.close() }
    try await client.connect()
    return try await body(client)
}
