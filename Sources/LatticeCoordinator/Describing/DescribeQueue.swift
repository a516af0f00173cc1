/// The state machine of the requests to describe something. It decides which request is answered next, and performs no
/// I/O.
///
/// One answer is built at a time, so the memory for answers does not grow with the number of sessions. The sessions
/// take turns. A session has at most ``maximumPerSession`` requests at once, and the next of its requests is built only
/// when the answer before it is on its way to the session. So a session that does not read keeps one answer in memory.
///
/// A request is in one of these states:
///
/// - *waiting*: another answer is being built, or the answer to an earlier request of the session has no room yet.
/// - *building*: its answer is being built.
/// - *built*: the answer waits for room in the session.
struct DescribeQueue<Session: Hashable & Sendable, Request: Sendable, Answer: Sendable>: Sendable {
    /// What to do after an input.
    enum Output {
        /// Build the answer to a request. Report it with `built`.
        case build(Request, for: Session)
        /// Send an answer. Report with `sent` that the session had room for it. Otherwise wait for `drained`.
        case send(Answer, to: Session)
        /// Refuse a request, because too many of the session are not answered yet.
        case refuse(Request, of: Session)
    }

    /// The requests of one session.
    private struct Requests {
        var waiting: [Request] = []
        var current = Current.none

        var count: Int { waiting.count + (current.isNone ? 0 : 1) }
    }

    /// The progress of the request of a session that is being answered.
    private enum Current {
        case none
        case building
        case built(Answer)

        var isNone: Bool { if case .none = self { true } else { false } }
    }

    /// The maximum number of unanswered requests of a session. A tool that shows several sections asks for them at
    /// once.
    static var maximumPerSession: Int { 4 }

    private var sessions: [Session: Requests] = [:]
    /// The sessions whose first waiting request can be built, in the order in which they take turns.
    private var turns: [Session] = []
    /// The session for which an answer is being built, or nil. The session may have ended in the meantime.
    private var building: Session?

    /// The number of requests that are not answered.
    var count: Int { sessions.values.reduce(0) { $0 + $1.count } }

    /// Handles a request that arrived.
    mutating func receive(_ request: Request, of session: Session) -> [Output] {
        guard sessions[session]?.count ?? 0 < Self.maximumPerSession else { return [.refuse(request, of: session)] }
        sessions[session, default: Requests()].waiting.append(request)
        takeTurn(session)
        return next()
    }

    /// Handles an answer that was built.
    mutating func built(_ answer: Answer, for session: Session) -> [Output] {
        building = nil
        guard case .building? = sessions[session]?.current else { return next() }
        sessions[session]?.current = .built(answer)
        return [.send(answer, to: session)] + next()
    }

    /// Records that the session has taken its answer.
    mutating func sent(to session: Session) -> [Output] {
        guard case .built? = sessions[session]?.current else { return [] }
        sessions[session]?.current = .none
        if sessions[session]?.waiting.isEmpty ?? true { sessions[session] = nil } else { takeTurn(session) }
        return next()
    }

    /// Handles room in a session, which may have had none for its answer.
    mutating func drained(_ session: Session) -> [Output] {
        guard case .built(let answer)? = sessions[session]?.current else { return [] }
        return [.send(answer, to: session)]
    }

    /// Forgets the requests of a session that ended. An answer that is being built for it is dropped later.
    mutating func ended(_ session: Session) {
        sessions[session] = nil
        turns.removeAll { $0 == session }
    }

    private mutating func takeTurn(_ session: Session) {
        guard let requests = sessions[session], requests.current.isNone, !turns.contains(session) else { return }
        turns.append(session)
    }

    private mutating func next() -> [Output] {
        guard building == nil, !turns.isEmpty else { return [] }
        let session = turns.removeFirst()
        guard let request = sessions[session]?.waiting.removeFirst() else { return next() }
        sessions[session]?.current = .building
        building = session
        return [.build(request, for: session)]
    }
}
