import DequeModule
import LatticeCore

/// What calls of a pool have in common that run one after the other.
struct PoolKey: Hashable, Sendable {
    private let value: any Hashable & Sendable

    init(_ value: any Hashable & Sendable) {
        self.value = value
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.value.isSame(as: rhs.value)
    }

    func hash(into hasher: inout Hasher) {
        value.hash(into: &hasher)
    }
}

/// Which call of a pool runs where. It does no I/O.
///
/// A call takes a member that has room; while none has, it waits, and the first that waits gets the next room. Calls of
/// one key run one after the other, in their order. A call runs until its method has answered, also when its caller
/// has given up before. A member is:
/// - `present`: it takes calls while it has room.
/// - `silent`: it is present, a caller has given up on a call of it, and it has answered none since. It takes no calls.
/// - `gone`: it serves the name no longer; what runs there may end, and then it is forgotten.
///
/// A pool takes calls until it is closed; then none begins or waits, and those that run end. While it has lost its
/// connection for too long, no call waits either: it takes those for which a member has room, and refuses the others.
struct PoolState<Member: Hashable & Sendable, Waiter: Sendable> {
    struct WaiterID: Hashable, Sendable {
        let number: UInt64
    }

    enum Taking {
        case run(Member)
        case wait(WaiterID)
        /// Too many wait.
        case refuse
        /// No call is taken, for this reason.
        case end(ActorCallError)
    }

    private struct Use {
        var running = 0
        var isSilent = false
    }

    private struct Waiting {
        let id: WaiterID
        let key: PoolKey?
        let waiter: Waiter
    }

    /// Calls that run at one member at a time.
    let room: Int
    /// Calls that may wait.
    let maximumWaiting: Int
    private var members: [Member: Use] = [:]
    /// Those that are present, in the order in which they came.
    private var order: [Member] = []
    private var waiting: Deque<Waiting> = []
    /// The keys of the calls that run.
    private var keys: Set<PoolKey> = []
    private var lastWaiter: UInt64 = 0
    private var hasLeft = false
    /// Why no call waits; nil: calls do.
    private var refusal: ActorCallError?
    private var isClosed = false

    init(room: Int, maximumWaiting: Int) {
        self.room = room
        self.maximumWaiting = maximumWaiting
    }

    /// Those that serve the name.
    var present: [Member] { order }
    var waitingCount: Int { waiting.count }
    /// How many of them take no calls until they answer.
    var silentCount: Int { order.count { members[$0]?.isSilent == true } }

    // MARK: Members

    /// These serve the name now.
    ///
    /// - Returns: Who waits no longer, and for whom it is.
    mutating func serve(_ present: [Member]) -> [(waiter: Waiter, member: Member)] {
        let served = Set(present)
        for member in order where !served.contains(member) { leave(member) }
        let known = Set(order)
        for member in present where !known.contains(member) {
            order.append(member)
            members[member, default: Use()].running += 0
        }
        hasLeft = false
        if !isClosed { refusal = nil }
        return assign()
    }

    /// Only these can be reached at the moment.
    mutating func loseConnection(keeping isKept: (Member) -> Bool) {
        for member in order where !isKept(member) { leave(member) }
        hasLeft = false
    }

    /// It has been seen to take no calls any more.
    mutating func leave(_ member: Member) {
        hasLeft = hasLeft || order.contains(member)
        order.removeAll { $0 == member }
        if members[member]?.running == 0 { members[member] = nil }
    }

    /// Whether somebody has left since this was asked, who may be there all the same.
    mutating func takeHasLeft() -> Bool {
        defer { hasLeft = false }
        return hasLeft
    }

    /// No call is taken any more.
    ///
    /// - Returns: Who waited.
    mutating func close(_ reason: ActorCallError) -> [Waiter] {
        isClosed = true
        return refuse(reason)
    }

    /// No call waits before the members are known again: one that is present takes it now, or none does.
    ///
    /// - Returns: Who waited.
    mutating func refuse(_ reason: ActorCallError) -> [Waiter] {
        refusal = reason
        defer { waiting = [] }
        return waiting.map(\.waiter)
    }

    // MARK: Calls

    /// A call wants a member.
    ///
    /// - Parameter makeWaiter: Called if it has to wait.
    mutating func take(key: PoolKey?, makeWaiter: () -> Waiter) -> Taking {
        if isClosed, let refusal { return .end(refusal) }
        if let member = roomiest, !runs(key), isNext(key) {
            begin(key, at: member)
            return .run(member)
        }
        if let refusal { return .end(refusal) }
        guard waiting.count < maximumWaiting else { return .refuse }
        lastWaiter += 1
        let id = WaiterID(number: lastWaiter)
        waiting.append(Waiting(id: id, key: key, waiter: makeWaiter()))
        return .wait(id)
    }

    /// The caller of a call has given up, and its method runs on.
    mutating func isOverdue(at member: Member) {
        members[member]?.isSilent = true
    }

    /// A call has ended: its method runs no longer.
    ///
    /// - Returns: Who waits no longer, and for whom it is.
    mutating func end(key: PoolKey?, at member: Member) -> [(waiter: Waiter, member: Member)] {
        if let key { keys.remove(key) }
        if var use = members[member] {
            use.running -= 1
            use.isSilent = false
            members[member] = use.running > 0 || order.contains(member) ? use : nil
        }
        return assign()
    }

    /// A call that waits is not wanted any more.
    ///
    /// - Returns: The waiter, if it still waited.
    mutating func stopWaiting(_ id: WaiterID) -> Waiter? {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        return waiting.remove(at: index).waiter
    }

    /// Whether a call that comes now passes nobody who waits for what it wants: all that wait do so for their keys.
    private func isNext(_ key: PoolKey?) -> Bool {
        waiting.allSatisfy { waiting in
            guard let other = waiting.key else { return false }
            return keys.contains(other) && other != key
        }
    }

    /// The one with the most room; nil: none has any.
    private var roomiest: Member? {
        var best: (member: Member, running: Int)?
        for member in order {
            let use = members[member, default: Use()]
            guard use.running < min(room, best?.running ?? room), !use.isSilent else { continue }
            best = (member, use.running)
        }
        return best?.member
    }

    private func runs(_ key: PoolKey?) -> Bool { key.map { keys.contains($0) } ?? false }

    private mutating func begin(_ key: PoolKey?, at member: Member) {
        members[member, default: Use()].running += 1
        if let key { keys.insert(key) }
    }

    private mutating func assign() -> [(waiter: Waiter, member: Member)] {
        var assigned: [(waiter: Waiter, member: Member)] = []
        var index = 0
        // Without room nobody is looked at, however many wait.
        var free = roomiest
        while let member = free, index < waiting.count {
            guard !runs(waiting[index].key) else {
                index += 1
                continue
            }
            let first = waiting.remove(at: index)
            begin(first.key, at: member)
            assigned.append((first.waiter, member))
            free = roomiest
        }
        return assigned
    }
}
