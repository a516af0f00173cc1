/// The state machine of the requests to act. It decides whether an act begins and when its answer is sent, and performs
/// no I/O.
///
/// Acts run at the same time, because a drain may take an hour and a restart must not wait for it. A session has at
/// most ``maximumPerSession`` unanswered requests, and all sessions together have ``maximum``. The answers of a session
/// that does not read wait here, so their number has the same bound.
///
/// A request is in one of these states:
///
/// - *running*: its act is being carried out.
/// - *answered*: the answer waits for room in the session, or for the answer before it.
///
/// When a session ends, its requests are forgotten and make room for others. Their acts stop waiting, and their orders
/// stay in force.
struct OperationQueue<Session: Hashable & Sendable, Answer: Sendable>: Sendable {
    /// The decision about a request.
    enum Admission: Equatable {
        /// Carry out the act. Report its answer with `finished`.
        case begin
        /// Refuse it, because too many requests of the session are not answered.
        case tooManyOfSession
        /// Refuse it, because too many requests of all sessions are not answered.
        case tooMany
    }

    private struct Requests {
        var running = 0
        var answers: [Answer] = []

        var count: Int { running + answers.count }
    }

    /// The maximum number of unanswered requests of a session. A person gives one order after the other.
    static var maximumPerSession: Int { 4 }
    /// The maximum number of unanswered requests of all sessions. It leaves room for other tools while one of them
    /// waits for long drains.
    static var maximum: Int { 16 }

    private var sessions: [Session: Requests] = [:]

    /// The number of requests that are not answered.
    var count: Int { sessions.values.reduce(0) { $0 + $1.count } }

    /// Handles a request that arrived.
    mutating func receive(from session: Session) -> Admission {
        guard sessions[session]?.count ?? 0 < Self.maximumPerSession else { return .tooManyOfSession }
        guard count < Self.maximum else { return .tooMany }
        sessions[session, default: Requests()].running += 1
        return .begin
    }

    /// Handles the end of an act.
    ///
    /// - Returns: The answer to send now, or nil if an earlier answer is not sent yet or if the session has ended.
    ///   Report with `sent` that the session had room for it. Otherwise wait for `drained`.
    mutating func finished(_ answer: Answer, for session: Session) -> Answer? {
        guard sessions[session] != nil else { return nil }
        sessions[session]?.running -= 1
        sessions[session]?.answers.append(answer)
        return sessions[session]?.answers.count == 1 ? answer : nil
    }

    /// Records that the session has taken its first answer.
    ///
    /// - Returns: The next answer to send, or nil if there is none.
    mutating func sent(to session: Session) -> Answer? {
        guard sessions[session]?.answers.isEmpty == false else { return nil }
        sessions[session]?.answers.removeFirst()
        if sessions[session]?.count == 0 { sessions[session] = nil }
        return sessions[session]?.answers.first
    }

    /// Handles room in a session.
    ///
    /// - Returns: The answer to send now, or nil if there is none.
    func drained(_ session: Session) -> Answer? { sessions[session]?.answers.first }

    /// Handles the end of a session. Its acts get no answer.
    mutating func ended(_ session: Session) {
        sessions[session] = nil
    }
}
