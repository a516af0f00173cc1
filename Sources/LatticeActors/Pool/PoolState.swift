import DequeModule
import LatticeCore

/// A key shared by calls of a pool that must run one after the other.
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

/// The state machine that decides which call of a pool runs at which member. It does no I/O.
///
/// A call takes a member that has room. While no member has room the call waits, and the first call in the queue gets
/// the next free place. Calls with the same key run one after the other, in their order. A call counts as running until
/// its method has answered, even if its caller gave up earlier. A member is in one of these states:
/// - `present`: It takes calls while it has room.
/// - `silent`: It is present, but a caller has given up on a call of it and it has answered none since. It takes no
///   calls.
/// - `gone`: It no longer serves the name. Its running calls may end, and then it is forgotten.
///
/// A pool takes calls until it is closed. After that no call begins or waits, and the running ones end. While the
/// connection has been lost for too long, no call waits either. Calls for which a member has room run, and the others
/// are refused.
struct PoolState<Member: Hashable & Sendable, Waiter: Sendable> {
    struct WaiterID: Hashable, Sendable {
        let number: UInt64
    }

    /// The decision about a new call.
    enum Taking {
        case run(Member)
        case wait(WaiterID)
        /// The call is refused because too many calls wait.
        case refuse
        /// The call ends with this error because the pool takes no calls.
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

    /// The maximum number of calls that run at one member at a time.
    let room: Int
    /// The maximum number of calls that wait.
    let maximumWaiting: Int
    private var members: [Member: Use] = [:]
    /// The present members, in the order of their arrival.
    private var order: [Member] = []
    private var waiting: Deque<Waiting> = []
    /// The keys of the running calls.
    private var keys: Set<PoolKey> = []
    private var lastWaiter: UInt64 = 0
    private var hasLeft = false
    /// The error with which calls end instead of waiting, or nil if calls wait.
    private var refusal: ActorCallError?
    private var isClosed = false

    init(room: Int, maximumWaiting: Int) {
        self.room = room
        self.maximumWaiting = maximumWaiting
    }

    /// The members that serve the name.
    var present: [Member] { order }
    var waitingCount: Int { waiting.count }
    /// The number of present members that take no calls until they have answered one.
    var silentCount: Int { order.count { members[$0]?.isSilent == true } }

    // MARK: Members

    /// Updates the members that serve the name.
    ///
    /// - Returns: The calls that no longer wait, each with its member.
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

    /// Removes all members except those that can be reached without a connection.
    mutating func loseConnection(keeping isKept: (Member) -> Bool) {
        for member in order where !isKept(member) { leave(member) }
        hasLeft = false
    }

    /// Removes a member that was seen to take no calls any more.
    mutating func leave(_ member: Member) {
        hasLeft = hasLeft || order.contains(member)
        order.removeAll { $0 == member }
        if members[member]?.running == 0 { members[member] = nil }
    }

    /// Returns whether a member has left by ``leave(_:)`` since the last call of this function. Such a member may still
    /// be there.
    mutating func takeHasLeft() -> Bool {
        defer { hasLeft = false }
        return hasLeft
    }

    /// Closes the pool, which takes no calls from now on.
    ///
    /// - Returns: The calls that waited.
    mutating func close(_ reason: ActorCallError) -> [Waiter] {
        isClosed = true
        return refuse(reason)
    }

    /// Refuses all calls for which no member has room, until the members are known again.
    ///
    /// - Returns: The calls that waited.
    mutating func refuse(_ reason: ActorCallError) -> [Waiter] {
        refusal = reason
        defer { waiting = [] }
        return waiting.map(\.waiter)
    }

    // MARK: Calls

    /// Chooses a member for a new call.
    ///
    /// - Parameters:
    ///   - key: The key of the call, or nil.
    ///   - makeWaiter: Creates the waiter if the call has to wait.
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

    /// Marks a member as silent, because the caller of one of its calls has given up while the method still runs.
    mutating func isOverdue(at member: Member) {
        members[member]?.isSilent = true
    }

    /// Ends a call whose method no longer runs.
    ///
    /// - Returns: The calls that no longer wait, each with its member.
    mutating func end(key: PoolKey?, at member: Member) -> [(waiter: Waiter, member: Member)] {
        if let key { keys.remove(key) }
        if var use = members[member] {
            use.running -= 1
            use.isSilent = false
            members[member] = use.running > 0 || order.contains(member) ? use : nil
        }
        return assign()
    }

    /// Removes a call from the queue.
    ///
    /// - Returns: The waiter, or nil if it no longer waited.
    mutating func stopWaiting(_ id: WaiterID) -> Waiter? {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        return waiting.remove(at: index).waiter
    }

    /// Returns whether a new call may run before those that wait. This is true if each of them waits because of its
    /// own, different key.
    private func isNext(_ key: PoolKey?) -> Bool {
        waiting.allSatisfy { waiting in
            guard let other = waiting.key else { return false }
            return keys.contains(other) && other != key
        }
    }

    /// The member with the most room, or nil if no member has room.
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
        // Without room the queue is not searched, however long it is.
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
