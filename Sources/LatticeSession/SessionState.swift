import LatticeWire

/// The life of a session. It does no I/O; time comes in as an argument.
///
/// - `handshaking`: nothing but hello and its answer may come; there is a time limit.
/// - `open`: messages go in both directions; the other side is asked from time to time whether it is there.
/// - `closing`: nothing is added to what waits to be written, and the connection closes when that has gone. What the
///   other side still says is heard if this side ended in good order.
/// - `closed`: the connection is closed.
struct SessionState {
    private enum Phase {
        case handshaking(Handshake, until: ContinuousClock.Instant?)
        case open(Heartbeat?)
        case closing(hears: Bool, SessionError?)
        case closed
    }

    /// What is made of a message that comes now.
    enum Hearing {
        case handshake
        case messages
        case nothing
    }

    /// What follows from a message of the handshake.
    enum HandshakeAction {
        /// The session is open; this is sent first.
        case open(Handshake.Peer, sending: Welcome?)
        /// It will not be; this is sent first.
        case close(sending: Refuse?)
    }

    /// What follows from the time.
    enum TimeAction {
        case nothing
        case ping(UInt64)
        /// The other side has not answered for so long, which whoever has the session is to know.
        case late(Duration)
        /// It has not answered for so long that it is given up, unless somebody knows why. Told again and again.
        case silent(Duration)
        case abort(SessionError)
    }

    /// What is said last. nil, where there is one: the session ends already.
    enum LastWord {
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

    /// Asked for each message; before what has no size that is known ahead.
    private(set) var hears = Hearing.handshake
    private let side: Handshake.Side
    private let handshakeTimeout: Duration?
    private let liveness: Liveness?
    private var phase: Phase { didSet { hears = Self.hearing(in: phase) } }

    /// - Parameters:
    ///   - handshakeTimeout: How long the handshake may take; nil: as long as the other side lets it.
    ///   - liveness: How often to ask the other side and how long to wait; nil: never.
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

    private static func hearing(in phase: Phase) -> Hearing {
        switch phase {
        case .handshaking: .handshake
        case .open, .closing(hears: true, _): .messages
        case .closing, .closed: .nothing
        }
    }

    var isOpen: Bool { if case .open = phase { true } else { false } }

    // MARK: Handshake

    /// - Returns: What an initiator sends.
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
            phase = .closing(hears: false, .refused(by: "other side", refusal))
            return .close(sending: nil)
        case .refuse(let refusal):
            phase = .closing(hears: false, .refusing(refusal))
            // An acceptor has let this side in with `welcome`, and would not understand a refusal.
            return .close(sending: kind == .welcome ? nil : refusal)
        }
    }

    private mutating func open(_ now: ContinuousClock.Instant) {
        phase = .open(liveness.map { Heartbeat($0, now: now) })
    }

    // MARK: Time

    /// When `tick` has something to do.
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

    /// - Returns: Whether that is an answer that was told to be late.
    mutating func receive(pong: UInt64, now: ContinuousClock.Instant) -> Bool {
        guard case .open(var heartbeat?) = phase else { return false }
        defer { phase = .open(heartbeat) }
        return heartbeat.receive(pong: pong, now: now)
    }

    // MARK: Ending

    /// How long the other side may take to read what it has still to be told.
    var closeLimitMilliseconds: Int64 {
        (liveness?.limit ?? handshakeTimeout)?.milliseconds ?? Int64(FrameLimits.handshakeMilliseconds)
    }

    /// This side ends in good order.
    mutating func end(_ goodbye: Goodbye) -> LastWord? {
        switch phase {
        case .handshaking:
            phase = .closing(hears: false, nil)
            // Nobody knows of a session that could end.
            return .nothing
        case .open:
            phase = .closing(hears: true, nil)
            return .goodbye(goodbye)
        case .closing, .closed:
            return nil
        }
    }

    /// There is a fault. The first one counts.
    mutating func abort(_ error: SessionError) -> LastWord? {
        switch phase {
        case .handshaking:
            phase = .closing(hears: false, error)
            guard case .acceptor(let acceptance) = side else { return .nothing }
            return .refusal(Refuse(code: error.refusalCode, reason: error.detail, versions: acceptance.versions))
        case .open:
            phase = .closing(hears: false, error)
            return .goodbye(Goodbye(code: error.goodbyeCode, reason: error.detail))
        case .closing(_, let first):
            phase = .closing(hears: false, first ?? error)
            return nil
        case .closed:
            return nil
        }
    }

    /// The other side has said its last word.
    mutating func receive(_ goodbye: Goodbye) {
        guard case .closing(_, let error) = phase else {
            phase = .closing(hears: false, goodbye.code == .normal ? nil : .goodbye(goodbye))
            return
        }
        phase = .closing(hears: false, error ?? (goodbye.code == .normal ? nil : .goodbye(goodbye)))
    }

    /// The connection is closed.
    ///
    /// - Returns: Why the session ended; nil: in good order.
    mutating func close(_ error: SessionError?) -> SessionError? {
        defer { phase = .closed }
        if case .closing(_, let first?) = phase { return first }
        return error
    }
}
