import LatticeConcurrency

/// A limit on the memory that the unfinished messages of many sessions take together.
///
/// When the budget is exceeded, the session that holds the most is ended. A client that begins large messages without
/// ending them can therefore not keep out clients that send small messages. The bytes that each session may hold by
/// itself do not count.
package final class AssemblyBudget: Sendable {
    /// The share of one session. It ends when the object is released.
    package final class Share: Sendable {
        private let budget: AssemblyBudget
        private let number: UInt64

        fileprivate init(_ budget: AssemblyBudget, _ number: UInt64) {
            self.budget = budget
            self.number = number
        }

        deinit {
            budget.leave(number)
        }

        /// Sets the number of bytes that the session's unfinished messages take now.
        ///
        /// - Throws: `tooLarge` if this session is the one that has to end.
        /// - Complexity: O(1), plus O(*n*) for each session that ends, where *n* is the number of sessions.
        func hold(_ bytes: Int) throws(WireError) {
            try budget.hold(bytes, number)
        }
    }

    /// The cause of the error with which a session ends.
    package struct Spent: Error {}

    private struct Holder {
        var bytes = 0
        let onEnd: @Sendable (WireError) -> Void
    }

    private struct Core {
        var holders: [UInt64: Holder] = [:]
        var last: UInt64 = 0
        /// The number of bytes that all sessions hold in addition to their free bytes.
        var counted = 0
    }

    /// The maximum number of counted bytes.
    package let maximum: Int
    /// The number of bytes that each session may hold without being counted.
    package let free: Int
    private let core = Locked(Core())

    /// Creates a budget.
    package init(maximum: Int = FrameLimits.maximumSharedAssembly, free: Int = FrameLimits.freeAssembly) {
        self.maximum = maximum
        self.free = free
    }

    /// Adds a session.
    ///
    /// - Parameter onEnd: A closure that is called when the session has to end because it holds the most. It is called
    ///   on the thread that exceeded the budget.
    package func join(onEnd: @escaping @Sendable (WireError) -> Void) -> Share {
        core.withLock { core in
            core.last += 1
            core.holders[core.last] = Holder(onEnd: onEnd)
            return Share(self, core.last)
        }
    }

    /// The number of bytes that are counted at present.
    package var counted: Int { core.withLock(\.counted) }

    private func hold(_ bytes: Int, _ number: UInt64) throws(WireError) {
        let ended = core.withLock { core -> [(number: UInt64, holder: Holder)] in
            guard let holder = core.holders[number] else { return [] }
            core.counted += max(bytes - free, 0) - max(holder.bytes - free, 0)
            core.holders[number]?.bytes = bytes
            var ended: [(UInt64, Holder)] = []
            while core.counted > maximum, let largest = core.holders.max(by: { $0.value.bytes < $1.value.bytes }) {
                core.counted -= max(largest.value.bytes - free, 0)
                core.holders[largest.key] = nil
                ended.append((largest.key, largest.value))
            }
            return ended
        }
        var own: WireError?
        for (other, holder) in ended {
            let error = WireError.sharedAssemblyTooLarge(actual: holder.bytes, maximum: maximum)
            if other == number { own = error } else { holder.onEnd(error) }
        }
        if let own { throw own }
    }

    private func leave(_ number: UInt64) {
        core.withLock { core in
            guard let holder = core.holders.removeValue(forKey: number) else { return }
            core.counted -= max(holder.bytes - free, 0)
        }
    }
}
