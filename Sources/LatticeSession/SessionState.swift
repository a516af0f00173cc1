import LatticeWire

/// The phases of a session. It does no I/O, and receives the time as an argument.
///
/// - `handshaking`: only `hello` and its answer may come, within a time limit.
/// - `open`: messages are exchanged in both directions, and pings check that the other side is alive.
/// - `closing`: no more frames can be added, and the connection is closed when the waiting ones are written. Messages
///   of the other side are still received if this side ended the session in an orderly way.
/// - `closed`: the connection is closed.
struct SessionState {
    private enum Phase {
        case handshaking(Handshake, until: ContinuousClock.Instant?)
        case open(Heartbeat?)
        case closing(receives: Bool, SessionError?)
        case closed(withGoodbye: Bool)
    }

    /// The messages that are accepted at the moment.
    enum AcceptedMessages {
        case handshake
        case messages
        case nothing
    }

    /// What to do after a message of the handshake.
    enum HandshakeAction {
        /// Send the welcome, if there is one. The session is then open.
        case open(Handshake.Peer, sending: Welcome?)
        /// Send the refusal, if there is one, and end the session.
        case close(sending: Refuse?)
    }

    /// What to do at an instant.
    enum TimeAction {
        case nothing
        case ping(UInt64)
        /// Notify the owner that the other side has not answered for this long.
        case late(Duration)
        /// Give up the other side, which has not answered for this long, unless the owner knows the cause. It is
        /// returned again after each interval of the liveness checks.
        case silent(Duration)
        case abort(SessionError)
    }

    /// The final message of this side. Functions return `nil` instead if the session is ending already.
    enum FinalMessage {
        case nothing
        case goodbye(Goodbye)
        case refusal(Refuse)

        var message: (any WireMessageBody)? {
            switch self {
            case .nothing: nil
            case .goodbye(let goodbye): goodbye
            case .refusal(let refusal): refusal
            }
        }
    }

    /// The messages that are accepted now. It is stored, because it is read for each message. It stands before the
    /// properties whose sizes are only known at run time, so that access to it is fast.
    private(set) var acceptedMessages = AcceptedMessages.handshake
    private let side: Handshake.Side
    private let handshakeTimeout: Duration?
    private let liveness: Liveness?
    private var phase: Phase { didSet { acceptedMessages = Self.acceptedMessages(in: phase) } }

    /// Creates the state of a new session.
    ///
    /// - Parameters:
    ///   - side: The part of this process in the handshake.
    ///   - handshakeTimeout: The time that the handshake may take, or `nil` for no limit.
    ///   - liveness: The times for checking that the other side is alive, or `nil` for no checks.
    ///   - now: The current instant.
    init(
        _ side: Handshake.Side,
        handshakeTimeout: Duration?,
        liveness: Liveness?,
        now: ContinuousClock.Instant
    ) {
        self.side = side
        self.handshakeTimeout = handshakeTimeout
        self.liveness = liveness
        phase = .handshaking(Handshake(side), until: handshakeTimeout.map { now + $0 })
    }

    private static func acceptedMessages(in phase: Phase) -> AcceptedMessages {
        switch phase {
        case .handshaking: .handshake
        case .open, .closing(receives: true, _): .messages
        case .closing, .closed: .nothing
        }
    }

    var isOpen: Bool { if case .open = phase { true } else { false } }

    // MARK: Handshake

    /// Begins the handshake.
    ///
    /// - Returns: The message that an initiator must send, or `nil` for an acceptor.
    mutating func start() -> Hello? {
        guard case .handshaking(var handshake, let until) = phase else { return nil }
        defer { phase = .handshaking(handshake, until: until) }
        return handshake.start()
    }

    mutating func shakeHands(
        _ kind: MessageKind,
        _ body: UnsafeRawBufferPointer,
        now: ContinuousClock.Instant
    ) throws(SessionError) -> HandshakeAction {
        guard case .handshaking(var handshake, _) = phase else { return .close(sending: nil) }
        switch try handshake.receive(kind, body) {
        case .accept(let welcome, let peer):
            open(now)
            return .open(peer, sending: welcome)
        case .opened(let peer):
            open(now)
            return .open(peer, sending: nil)
        case .refuse(let refusal) where kind == .refuse:
            phase = .closing(receives: false, .refused(by: "other side", refusal))
            return .close(sending: nil)
        case .refuse(let refusal):
            phase = .closing(receives: false, .refusing(refusal))
            // If `kind` is `welcome`, the acceptor has already taken this side in, and would not understand a refusal.
            return .close(sending: kind == .welcome ? nil : refusal)
        }
    }

    private mutating func open(_ now: ContinuousClock.Instant) {
        phase = .open(liveness.map { Heartbeat($0, now: now) })
    }

    // MARK: Time

    /// The next instant at which `tick` has something to do, or `nil` if there is none.
    var due: ContinuousClock.Instant? {
        switch phase {
        case .handshaking(_, let until): until
        case .open(let heartbeat): heartbeat?.due
        case .closing, .closed: nil
        }
    }

    mutating func tick(now: ContinuousClock.Instant) -> TimeAction {
        switch phase {
        case .handshaking(_, let until?) where now >= until:
            return .abort(.handshakeTimeout(handshakeTimeout ?? .zero))
        case .open(var heartbeat?):
            defer { if case .open = phase { phase = .open(heartbeat) } }
            switch heartbeat.tick(now: now) {
            case .none: return .nothing
            case .ping(let number): return .ping(number)
            case .late(let silence): return .late(silence)
            case .giveUp(let silence): return .silent(silence)
            }
        default:
            return .nothing
        }
    }

    /// Receives a pong.
    ///
    /// - Returns: Whether the pong answers a ping whose answer was reported as late.
    mutating func receive(pong: UInt64, now: ContinuousClock.Instant) -> Bool {
        guard case .open(var heartbeat?) = phase else { return false }
        defer { phase = .open(heartbeat) }
        return heartbeat.receive(pong: pong, now: now)
    }

    // MARK: Ending

    /// The time in milliseconds that the other side may take to read the final message.
    var closeTimeoutMilliseconds: Int64 {
        (liveness?.timeout ?? handshakeTimeout)?.milliseconds ?? Int64(FrameLimits.handshakeMilliseconds)
    }

    /// Begins an orderly end by this side.
    ///
    /// - Returns: The final message, or `nil` if the session is ending already.
    mutating func end(_ goodbye: Goodbye) -> FinalMessage? {
        switch phase {
        case .handshaking:
            phase = .closing(receives: false, nil)
            // Before the handshake is complete, the other side does not know of a session that could end.
            return .nothing
        case .open:
            phase = .closing(receives: true, nil)
            return .goodbye(goodbye)
        case .closing, .closed:
            return nil
        }
    }

    /// Ends the session with an error. The first error is kept.
    ///
    /// - Returns: The final message, or `nil` if the session is ending already.
    mutating func abort(_ error: SessionError) -> FinalMessage? {
        switch phase {
        case .handshaking:
            phase = .closing(receives: false, error)
            guard case .acceptor(let acceptance) = side else { return .nothing }
            return .refusal(Refuse(code: error.refusalCode, reason: error.detail, versions: acceptance.versions))
        case .open:
            phase = .closing(receives: false, error)
            return .goodbye(Goodbye(code: error.goodbyeCode, reason: error.detail))
        case .closing(_, let first):
            phase = .closing(receives: false, first ?? error)
            return nil
        case .closed:
            return nil
        }
    }

    /// Receives the final message of the other side.
    mutating func receive(_ goodbye: Goodbye) {
        guard case .closing(_, let error) = phase else {
            phase = .closing(receives: false, goodbye.code == .normal ? nil : .goodbye(goodbye))
            return
        }
        phase = .closing(receives: false, error ?? (goodbye.code == .normal ? nil : .goodbye(goodbye)))
    }

    /// Handles the closing of the connection.
    ///
    /// - Returns: The reason for the end of the session, or `nil` for an orderly end.
    mutating func close(_ error: SessionError?) -> SessionError? {
        guard case .closing(_, let first) = phase else {
            phase = .closed(withGoodbye: false)
            return error
        }
        phase = .closed(withGoodbye: first == nil)
        return first ?? error
    }

    /// A Boolean value that indicates whether the session has ended with a goodbye of one side that names no problem.
    /// It is false if only the connection has ended, as it does when a process is killed.
    var hasEndedWithGoodbye: Bool {
        if case .closed(let withGoodbye) = phase { withGoodbye } else { false }
    }
}
