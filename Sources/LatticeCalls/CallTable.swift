import LatticeWire

/// The ID of a session of a node.
struct SessionID: Hashable, Sendable, Comparable {
    let number: UInt64

    static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

/// The reason why a call is refused.
enum CallRefusal: Error, Equatable {
    /// No session leads to the node.
    case noNode
    /// The session with the node has ended.
    case lost
    /// The node is about to end.
    case draining
    /// The number of calls in progress has reached the limit.
    case overloaded
    /// The caller has not read the answers to its earlier calls.
    case unread
}

/// Matches answers with calls on all sessions of a node. It does no I/O, and handles neither arguments nor results.
///
/// A call has a number on each session on which it travels. The side that sends it there assigns the number, which is
/// one more than that of its previous call. For a call that is passed on from one session to another, the table keeps
/// both numbers.
struct CallTable<Caller, Run> {
    typealias Calls = CallRegistry<Caller, Run>

    enum CallStep: Equatable {
        /// The call is for this node. `isCancelled` is true if its cancel arrived before it.
        case run(isCancelled: Bool)
        case passOn(SessionID, call: UInt64, isCancelled: Bool)
        case refuse(CallRefusal)
    }

    /// The receiver of an answer, or of a part of one.
    enum AnswerStep {
        case own(Caller)
        case passOn(SessionID, call: UInt64)
        /// The answer is no longer awaited.
        case drop
    }

    /// The receiver of credit for a stream.
    enum CreditStep {
        case own(Run)
        case passOn(SessionID, call: UInt64, bytes: Int)
        /// The call has ended, or needs no credit.
        case nothing
    }

    /// The receiver of a cancel.
    enum CancelStep {
        case own(Run)
        case passOn(SessionID, call: UInt64)
        /// The call has not begun, or its running call has not been recorded yet.
        case new
        /// The call has ended, or has not arrived yet.
        case nothing
    }

    /// The calls that must be cancelled when a session has ended.
    struct Closing {
        /// The calls that ran here for the other side.
        var runs: [Run] = []
        /// The calls that were passed on for the other side.
        var passedOn: [(session: SessionID, call: UInt64)] = []
    }

    let own: NodeID
    private var sessions = SessionMap<Calls>()
    private var routes: [NodeID: SessionID] = [:]
    /// The session with the hub, or `nil` if there is none at the moment or this node is the hub.
    private(set) var uplink: SessionID?
    private var lastSession: UInt64 = 0
    /// The number of answers that arrived after their callers had given up.
    private(set) var lateReplies = 0

    init(own: NodeID) {
        self.own = own
    }

    // MARK: Sessions

    /// Adds a session. If there are several sessions with a node, calls use the newest one.
    mutating func open(to peer: NodeID, isUplink: Bool) -> SessionID {
        lastSession += 1
        let id = SessionID(number: lastSession)
        sessions.insert(Calls(peer: peer, isUplink: isUplink), forKey: id)
        routes[peer] = id
        if isUplink { uplink = id }
        return id
    }

    /// The calls that run here.
    var runs: [Run] {
        sessions.values.flatMap { session in
            session.taken.sorted.compactMap { if case .running(let run) = $0.call { run } else { nil } }
        }
    }

    /// Returns whether a session is open.
    func isOpen(_ session: SessionID) -> Bool { sessions.read(session) { $0.isOpen } ?? false }

    /// Returns whether calls of actors can be sent over a session.
    func takesCalls(_ session: SessionID) -> Bool { sessions.read(session) { $0.takesCalls } ?? false }

    func peer(of session: SessionID) -> NodeID? { sessions[session]?.peer }

    /// Returns whether a call that is sent over this session reaches its node without being passed on.
    func reaches(_ node: NodeID, over session: SessionID) -> Bool { session != uplink || routes[node] == session }

    /// Returns the time for which the oldest call of an actor that was sent over a session has had neither a reply nor
    /// a stream, at least. It is counted from an earlier call of this method.
    mutating func oldestAge(on session: SessionID, at now: ContinuousClock.Instant) -> Duration {
        sessions.change(session) { $0.oldestAge(at: now) } ?? .zero
    }

    /// Returns the numbers of calls on a session that have not ended.
    func count(on session: SessionID) -> (sent: Int, taken: Int) {
        sessions[session].map { ($0.sent.count, $0.taken.count) } ?? (0, 0)
    }

    /// Stops using a session to reach the hub, because it can send no more messages and will end.
    mutating func unlist(_ id: SessionID) {
        if uplink == id { uplink = nil }
    }

    /// Stops sending calls of actors over a session, because the other side is about to end.
    mutating func drain(_ id: SessionID) {
        _ = sessions.change(id) { $0.drain() }
    }

    /// Closes a session.
    ///
    /// - Returns: The calls of the other side, which must be cancelled because their answers cannot be sent.
    mutating func close(_ id: SessionID) -> Closing {
        unlist(id)
        var closing = Closing()
        for taken in sessions.change(id, { $0.close() }) ?? [] {
            switch taken {
            case .new: break
            case .running(let run): closing.runs.append(run)
            case .passedOn(let other, let call):
                if sessions[other]?.sent[call] != nil { closing.passedOn.append((other, call)) }
            }
        }
        return closing
    }

    /// Removes a closed session when it is known how the other side ended. The calls that were sent over it will not be
    /// answered.
    ///
    /// - Returns: The receivers of the missing answers, in the order of the calls.
    mutating func forget(_ id: SessionID) -> [Calls.Sender] {
        guard let session = sessions.removeValue(forKey: id) else { return [] }
        if routes[session.peer] == id { routes[session.peer] = nil }
        return session.sent.sorted.compactMap { settle($0.call) }
    }

    /// Ends the call that a receiver of an answer is waiting for.
    ///
    /// - Returns: The receiver, or `nil` if its own session has ended.
    private mutating func settle(_ sender: Calls.Sender) -> Calls.Sender? {
        guard case .session(let session, let call) = sender else { return sender }
        return sessions.change(session, { $0.drop(call) }) == true ? sender : nil
    }

    // MARK: Calls

    /// Adds a call of this node. Its message must be sent before that of a later call.
    mutating func send(
        _ caller: Caller,
        to node: NodeID,
        _ kind: Calls.CallKind = .actor
    ) throws(CallRefusal) -> (session: SessionID, call: UInt64) {
        try send(.own(caller), to: node, notOver: nil, kind)
    }

    private mutating func send(
        _ sender: Calls.Sender,
        to node: NodeID,
        notOver session: SessionID?,
        _ kind: Calls.CallKind
    ) throws(CallRefusal) -> (session: SessionID, call: UInt64) {
        guard let id = routes[node] ?? uplink, id != session, let index = sessions.index(forKey: id) else {
            throw .noNode
        }
        return (id, try sessions.values[index].send(sender, kind))
    }

    /// Receives a call.
    ///
    /// - Parameter node: The node that the call is for, or `nil` for this node.
    mutating func receive(
        call number: UInt64,
        for node: NodeID?,
        _ kind: Calls.CallKind = .actor,
        on id: SessionID
    ) throws(WireError) -> CallStep {
        guard let index = sessions.index(forKey: id) else { return .refuse(.lost) }
        if let refusal = try sessions.values[index].receive(call: number) { return .refuse(refusal) }
        guard let node, node != own else {
            return .run(isCancelled: sessions.values[index].take(number, as: .new))
        }
        // Only the hub passes calls on. Otherwise a call could travel in circles.
        guard uplink == nil else { return .refuse(.noNode) }
        do throws(CallRefusal) {
            let (other, call) = try send(.session(id, call: number), to: node, notOver: id, kind)
            let isCancelled = sessions.values[index].take(number, as: .passedOn(other, call: call))
            return .passOn(other, call: call, isCancelled: isCancelled)
        } catch {
            return .refuse(error)
        }
    }

    /// Returns whether a call that is about to begin has been cancelled.
    func isCancelled(_ number: UInt64, on id: SessionID) -> Bool {
        sessions.read(id) { $0.isCancelled(number) } ?? true
    }

    /// Records the running call of a call that has begun.
    ///
    /// - Returns: Whether it may continue. It is `false` if the call has been cancelled or the caller is gone.
    mutating func began(_ number: UInt64, on id: SessionID, _ run: Run) -> Bool {
        guard let index = sessions.index(forKey: id) else { return false }
        return sessions.values[index].began(number, run)
    }

    /// Ends a call that ran here.
    ///
    /// - Returns: Whether its answer is still awaited.
    mutating func finish(_ number: UInt64, on id: SessionID) -> Bool {
        guard let index = sessions.index(forKey: id) else { return false }
        return sessions.values[index].finish(number)
    }

    /// Ends a call whose caller does not read the rest of the answer.
    ///
    /// - Returns: Whether the call was in progress, and the running call if it runs here.
    mutating func giveUp(_ number: UInt64, on id: SessionID) -> (isUnderWay: Bool, run: Run?) {
        guard let index = sessions.index(forKey: id) else { return (false, nil) }
        let taken = sessions.values[index].taken[number]
        let isUnderWay = sessions.values[index].finish(number)
        if case .running(let run)? = taken { return (isUnderWay, run) }
        return (isUnderWay, nil)
    }

    /// Receives the answer to a call.
    mutating func receive(reply number: UInt64, on id: SessionID) throws(WireError) -> AnswerStep {
        guard let index = sessions.index(forKey: id) else { return .drop }
        guard let sender = try sessions.values[index].receive(reply: number), let sender = settle(sender) else {
            lateReplies += 1
            return .drop
        }
        switch sender {
        case .own(let caller): return .own(caller)
        case .session(let session, let call): return .passOn(session, call: call)
        }
    }

    /// Counts an answer that arrived after its caller had given up.
    mutating func addLateReply() {
        lateReplies += 1
    }

    /// Receives a part of an answer that is a stream.
    ///
    /// - Parameters:
    ///   - number: The number of the call.
    ///   - bytes: The size of the part.
    mutating func receive(elements number: UInt64, bytes: Int, on id: SessionID) throws(WireError) -> AnswerStep {
        guard let index = sessions.index(forKey: id) else { return .drop }
        switch try sessions.values[index].receive(elements: bytes, of: number) {
        case .own(let caller)?: return .own(caller)
        case .session(let other, let call)? where sessions[other]?.taken[call] != nil: return .passOn(other, call: call)
        case .session?, nil: return .drop
        }
    }

    /// Receives the cancel of a call.
    mutating func receive(cancel number: UInt64, on id: SessionID) throws(WireError) -> CancelStep {
        guard let index = sessions.index(forKey: id) else { return .nothing }
        switch try sessions.values[index].receive(cancel: number) {
        case .running(let run)?: return .own(run)
        case .passedOn(let other, let call)?: return .passOn(other, call: call)
        case .new?: return .new
        case nil: return .nothing
        }
    }

    /// Receives credit for a stream. Credit that exceeds a whole window is not passed on.
    mutating func receive(credit number: UInt64, bytes: Int, on id: SessionID) throws(WireError) -> CreditStep {
        guard let index = sessions.index(forKey: id), sessions.values[index].isOpen else { return .nothing }
        switch try sessions.values[index].receive(credit: number) {
        case .running(let run)?: return .own(run)
        case .passedOn(let other, let call)?:
            let granted = grant(bytes, to: call, on: other)
            return granted > 0 ? .passOn(other, call: call, bytes: granted) : .nothing
        case .new?, nil: return .nothing
        }
    }

    /// Accepts more bytes of a stream that answers a call.
    ///
    /// - Returns: The number of bytes to grant to the other side.
    mutating func grant(_ bytes: Int, to number: UInt64, on id: SessionID) -> Int {
        sessions.change(id) { $0.grant(bytes, to: number) } ?? 0
    }

    /// Returns whether a call of this node has no answer yet, and can therefore be cancelled.
    func waits(_ number: UInt64, on id: SessionID) -> Bool {
        sessions.read(id) { $0.isOpen && $0.sent[number] != nil } ?? false
    }

    /// Removes a call that was not sent after all.
    mutating func abandon(_ number: UInt64, on id: SessionID) {
        _ = sessions.change(id) { $0.remove(number) }
    }
}

extension CallTable.Closing: Sendable where Caller: Sendable, Run: Sendable {}
