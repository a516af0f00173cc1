import LatticeWire

/// Which session of a node.
struct SessionID: Hashable, Sendable, Comparable {
    let number: UInt64

    static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

/// Why a call goes nowhere.
enum CallRefusal: Error, Equatable {
    case noNode
    /// There was one, whose session has ended.
    case lost
    /// There is one, which is about to end.
    case leaving
    case overloaded
    /// Whoever calls has not read the answers to its earlier calls.
    case unread
}

/// Who waits for the answers to which calls, on all sessions of a node. It does no I/O, and knows neither arguments nor
/// results.
///
/// A call has a number on each session on which it travels, which the sender of that session gives it: one more than
/// the one before. Of a call that is passed on from one session to another both numbers are kept.
struct CallTable<Caller, Run> {
    typealias Calls = CallRegistry<Caller, Run>

    enum CallStep: Equatable {
        /// It is for this node. `isCancelled`: its cancel came before it.
        case run(isCancelled: Bool)
        case passOn(SessionID, call: UInt64, isCancelled: Bool)
        case refuse(CallRefusal)
    }

    /// For whom an answer is, or a part of one.
    enum AnswerStep {
        case own(Caller)
        case passOn(SessionID, call: UInt64)
        /// Nobody waits for it any more.
        case drop
    }

    /// For what the credit of a caller is.
    enum CreditStep {
        case own(Run)
        case passOn(SessionID, call: UInt64, bytes: Int)
        /// It has ended, or needs none.
        case nothing
    }

    /// For what a cancel is.
    enum CancelStep {
        case own(Run)
        case passOn(SessionID, call: UInt64)
        /// It has not begun, or what runs for it was not said.
        case new
        /// It has ended, or has not come.
        case nothing
    }

    /// What follows from the end of a session.
    struct Closing {
        /// What ran here for its other side.
        var runs: [Run] = []
        /// What was passed on for it, and runs elsewhere.
        var passedOn: [(link: SessionID, call: UInt64)] = []
    }

    let own: NodeID
    private var links = SessionMap<Calls>()
    private var routes: [NodeID: SessionID] = [:]
    /// The session to whoever knows all nodes; nil: there is none at the moment, or this node knows them itself.
    private(set) var uplink: SessionID?
    private var lastLink: UInt64 = 0
    /// Answers that came when nobody waited any more.
    private(set) var lateReplies = 0

    init(own: NodeID) {
        self.own = own
    }

    // MARK: Sessions

    /// A session is there. Of two with the same node calls go over the newer one.
    mutating func open(to peer: NodeID, isUplink: Bool) -> SessionID {
        lastLink += 1
        let id = SessionID(number: lastLink)
        links.insert(Calls(peer: peer, isUplink: isUplink), forKey: id)
        routes[peer] = id
        if isUplink { uplink = id }
        return id
    }

    /// What runs here.
    var runs: [Run] {
        links.values.flatMap { link in
            link.taken.sorted.compactMap { if case .running(let run) = $0.call { run } else { nil } }
        }
    }

    /// Whether the session is there.
    func isOpen(_ link: SessionID) -> Bool { links[link]?.isOpen ?? false }

    /// Whether calls may go there.
    func takesCalls(_ link: SessionID) -> Bool { links[link]?.takesCalls ?? false }

    func peer(of link: SessionID) -> NodeID? { links[link]?.peer }

    /// Whether what is for a node reaches it over this session, without being passed on.
    func reaches(_ node: NodeID, over link: SessionID) -> Bool { link != uplink || routes[node] == link }

    /// The number of the oldest call of an actor that was sent over a session and has no answer yet, which is not even
    /// a stream, and the number of the last call that was sent.
    func oldestCall(on link: SessionID) -> (oldest: UInt64?, last: UInt64) {
        links[link].map { ($0.oldestCall, $0.lastSent) } ?? (nil, 0)
    }

    /// Calls on a session that have not ended.
    func count(on link: SessionID) -> (sent: Int, taken: Int) {
        links[link].map { ($0.sent.count, $0.taken.count) } ?? (0, 0)
    }

    /// It takes nothing any more, and will end.
    mutating func unlist(_ id: SessionID) {
        if uplink == id { uplink = nil }
    }

    /// Its other side is about to end, and gets no calls of actors any more.
    mutating func leave(_ id: SessionID) {
        _ = links.change(id) { $0.leave() }
    }

    /// It has ended: what ran for its other side has nobody to answer to.
    mutating func close(_ id: SessionID) -> Closing {
        unlist(id)
        var closing = Closing()
        for taken in links.change(id, { $0.close() }) ?? [] {
            switch taken {
            case .new: break
            case .running(let run): closing.runs.append(run)
            case .passedOn(let other, let call):
                if links[other]?.sent[call] != nil { closing.passedOn.append((other, call)) }
            }
        }
        return closing
    }

    /// How its other side has ended is known: what was sent to it has no answer.
    ///
    /// - Returns: Who is to hear of that, in the order of the calls.
    mutating func forget(_ id: SessionID) -> [Calls.Sender] {
        guard let link = links.removeValue(forKey: id) else { return [] }
        if routes[link.peer] == id { routes[link.peer] = nil }
        return link.sent.sorted.compactMap { settle($0.call) }
    }

    /// What somebody waited for has ended.
    ///
    /// - Returns: The sender, unless it has gone itself.
    private mutating func settle(_ sender: Calls.Sender) -> Calls.Sender? {
        guard case .link(let link, let call) = sender else { return sender }
        return links.change(link, { $0.drop(call) }) == true ? sender : nil
    }

    // MARK: Calls

    /// A call of this node. Its message is sent before that of a later one.
    mutating func send(
        _ caller: Caller,
        to node: NodeID,
        _ errand: Calls.CallKind = .actor
    ) throws(CallRefusal) -> (link: SessionID, call: UInt64) {
        try send(.own(caller), to: node, notOver: nil, errand)
    }

    private mutating func send(
        _ sender: Calls.Sender,
        to node: NodeID,
        notOver link: SessionID?,
        _ errand: Calls.CallKind
    ) throws(CallRefusal) -> (link: SessionID, call: UInt64) {
        guard let id = routes[node] ?? uplink, id != link, let index = links.index(forKey: id) else { throw .noNode }
        return (id, try links.values[index].send(sender, errand))
    }

    /// A call came.
    ///
    /// - Parameter node: For which node; nil: for this one.
    mutating func receive(
        call number: UInt64,
        for node: NodeID?,
        _ errand: Calls.CallKind = .actor,
        on id: SessionID
    ) throws(WireError) -> CallStep {
        guard let index = links.index(forKey: id) else { return .refuse(.lost) }
        if let refusal = try links.values[index].receive(call: number) { return .refuse(refusal) }
        guard let node, node != own else {
            return .run(isCancelled: links.values[index].take(number, as: .new))
        }
        // Only who knows all nodes passes on: else a call could go round in circles.
        guard uplink == nil else { return .refuse(.noNode) }
        do throws(CallRefusal) {
            let (other, call) = try send(.link(id, call: number), to: node, notOver: id, errand)
            let isCancelled = links.values[index].take(number, as: .passedOn(other, call: call))
            return .passOn(other, call: call, isCancelled: isCancelled)
        } catch {
            return .refuse(error)
        }
    }

    /// Whether the cancel of a call that is about to begin has come.
    func isCancelled(_ number: UInt64, on id: SessionID) -> Bool { links[id]?.isCancelled(number) ?? true }

    /// What was begun for a call runs.
    ///
    /// - Returns: Whether it is to go on; false: its cancel came before, or whoever called is gone.
    mutating func began(_ number: UInt64, on id: SessionID, _ run: Run) -> Bool {
        guard let index = links.index(forKey: id) else { return false }
        return links.values[index].began(number, run)
    }

    /// What ran here for a call has ended.
    ///
    /// - Returns: Whether somebody waits for the answer.
    mutating func finish(_ number: UInt64, on id: SessionID) -> Bool {
        guard let index = links.index(forKey: id) else { return false }
        return links.values[index].finish(number)
    }

    /// Nobody reads the rest of an answer, so the call ends.
    ///
    /// - Returns: Whether it was under way, and what runs for it here.
    mutating func giveUp(_ number: UInt64, on id: SessionID) -> (isUnderWay: Bool, run: Run?) {
        guard let index = links.index(forKey: id) else { return (false, nil) }
        let taken = links.values[index].taken[number]
        let isUnderWay = links.values[index].finish(number)
        if case .running(let run)? = taken { return (isUnderWay, run) }
        return (isUnderWay, nil)
    }

    /// An answer came.
    mutating func receive(reply number: UInt64, on id: SessionID) throws(WireError) -> AnswerStep {
        guard let index = links.index(forKey: id) else { return .drop }
        guard let sender = try links.values[index].receive(reply: number), let sender = settle(sender) else {
            lateReplies += 1
            return .drop
        }
        switch sender {
        case .own(let caller): return .own(caller)
        case .link(let link, let call): return .passOn(link, call: call)
        }
    }

    /// An answer came whose caller waits no longer.
    mutating func addLateReply() {
        lateReplies += 1
    }

    /// A part of an answer came, which goes on.
    ///
    /// - Parameter bytes: How much of it.
    mutating func receive(elements number: UInt64, bytes: Int, on id: SessionID) throws(WireError) -> AnswerStep {
        guard let index = links.index(forKey: id) else { return .drop }
        switch try links.values[index].receive(elements: bytes, of: number) {
        case .own(let caller)?: return .own(caller)
        case .link(let other, let call)? where links[other]?.taken[call] != nil: return .passOn(other, call: call)
        case .link?, nil: return .drop
        }
    }

    /// The other side wants a call to end.
    mutating func receive(cancel number: UInt64, on id: SessionID) throws(WireError) -> CancelStep {
        guard let index = links.index(forKey: id) else { return .nothing }
        switch try links.values[index].receive(cancel: number) {
        case .running(let run)?: return .own(run)
        case .passedOn(let other, let call)?: return .passOn(other, call: call)
        case .new?: return .new
        case nil: return .nothing
        }
    }

    /// The other side takes more of an answer.
    ///
    /// What goes beyond a whole window is passed on to nobody.
    mutating func receive(credit number: UInt64, bytes: Int, on id: SessionID) throws(WireError) -> CreditStep {
        guard let link = links[id], link.isOpen else { return .nothing }
        switch try link.receive(credit: number) {
        case .running(let run)?: return .own(run)
        case .passedOn(let other, let call)?:
            let granted = grant(bytes, to: call, on: other)
            return granted > 0 ? .passOn(other, call: call, bytes: granted) : .nothing
        case .new?, nil: return .nothing
        }
    }

    /// More is taken of an answer to a call that was sent.
    ///
    /// - Returns: How many bytes are to be granted to the other side.
    mutating func grant(_ bytes: Int, to number: UInt64, on id: SessionID) -> Int {
        links.change(id) { $0.grant(bytes, to: number) } ?? 0
    }

    /// Whether a call of this node has no answer yet, so that a cancel makes sense.
    func waits(_ number: UInt64, on id: SessionID) -> Bool {
        links[id].map { $0.isOpen && $0.sent[number] != nil } ?? false
    }

    /// A call is not sent.
    mutating func abandon(_ number: UInt64, on id: SessionID) {
        _ = links.change(id) { $0.remove(number) }
    }
}
