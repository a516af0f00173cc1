import DequeModule

/// What calls of a pool have in common that run one after the other.
struct PoolKey: Hashable, @unchecked Sendable {
    // Unchecked: the value is one that may be sent, which its type does not say.
    private let value: AnyHashable

    init(_ value: any Hashable & Sendable) {
        self.value = AnyHashable(value)
    }
}

/// Which call of a pool runs where. It does no I/O.
///
/// A call takes a member that has room; while none has, it waits, and the first that waits gets the next room. Calls of
/// one key run one after the other, in their order. A member is:
/// - `present`: it takes calls while it has room.
/// - `gone`: it serves the name no longer; what runs there may end, and then it is forgotten.
///
/// A pool takes calls until it is closed; then none begins or waits, and those that run end.
struct PoolState<Member: Hashable & Sendable, Waiter: Sendable> {
    struct WaiterID: Hashable, Sendable {
        let number: UInt64
    }

    enum Taking {
        case run(Member)
        case wait(WaiterID)
        /// Too many wait.
        case refuse
        /// The pool has ended.
        case ended
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
    /// How many run at each; in the order in which they came.
    private var members: [Member: Int] = [:]
    private var order: [Member] = []
    private var waiting: Deque<Waiting> = []
    /// The keys of the calls that run.
    private var keys: Set<PoolKey> = []
    private var lastWaiter: UInt64 = 0
    private var hasLeft = false
    private var isClosed = false

    init(room: Int, maximumWaiting: Int) {
        self.room = room
        self.maximumWaiting = maximumWaiting
    }

    /// Those that serve the name.
    var present: [Member] { order }
    var waitingCount: Int { waiting.count }

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
            members[member, default: 0] += 0
        }
        hasLeft = false
        return assign()
    }

    /// It has been seen to take no calls any more.
    mutating func leave(_ member: Member) {
        hasLeft = hasLeft || order.contains(member)
        order.removeAll { $0 == member }
        if members[member] == 0 { members[member] = nil }
    }

    /// Whether somebody has left since this was asked, who may be there all the same.
    mutating func takeHasLeft() -> Bool {
        defer { hasLeft = false }
        return hasLeft
    }

    /// No call is taken any more.
    ///
    /// - Returns: Who waited.
    mutating func close() -> [Waiter] {
        isClosed = true
        defer { waiting = [] }
        return waiting.map(\.waiter)
    }

    // MARK: Calls

    /// A call wants a member.
    ///
    /// - Parameter makeWaiter: Called if it has to wait.
    mutating func take(key: PoolKey?, makeWaiter: () -> Waiter) -> Taking {
        guard !isClosed else { return .ended }
        if let member = roomiest, !runs(key), isNext(key) {
            begin(key, at: member)
            return .run(member)
        }
        guard waiting.count < maximumWaiting else { return .refuse }
        lastWaiter += 1
        let id = WaiterID(number: lastWaiter)
        waiting.append(Waiting(id: id, key: key, waiter: makeWaiter()))
        return .wait(id)
    }

    /// A call has ended.
    ///
    /// - Returns: Who waits no longer, and for whom it is.
    mutating func end(key: PoolKey?, at member: Member) -> [(waiter: Waiter, member: Member)] {
        if let key { keys.remove(key) }
        if let running = members[member] {
            members[member] = running - 1
            if running == 1, !order.contains(member) { members[member] = nil }
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
        order.lazy.filter { members[$0, default: 0] < room }.min { members[$0, default: 0] < members[$1, default: 0] }
    }

    private func runs(_ key: PoolKey?) -> Bool { key.map { keys.contains($0) } ?? false }

    private mutating func begin(_ key: PoolKey?, at member: Member) {
        members[member, default: 0] += 1
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
