import LatticeConcurrency

/// What the unfinished messages of many sessions may take together.
///
/// When it is spent, the session that holds the most is ended: so nobody who sends small messages is kept out by
/// somebody who begins large ones and does not end them. What each session may hold by itself is not counted.
package final class AssemblyBudget: Sendable {
    /// A session's part. It ends with the object.
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

        /// Says what the session's unfinished messages take now.
        ///
        /// - Throws: `tooLarge` when this session is the one that is to end.
        /// - Complexity: O(1); O(*n*) for each session that ends, where *n* is the number of sessions.
        func hold(_ bytes: Int) throws(WireError) {
            try budget.hold(bytes, number)
        }
    }

    /// The cause of the error that a session ends with.
    package struct Spent: Error {}

    private struct Holder {
        var bytes = 0
        let onEnd: @Sendable (WireError) -> Void
    }

    private struct Core {
        var holders: [UInt64: Holder] = [:]
        var last: UInt64 = 0
        /// What is held beyond what is free, by all.
        var counted = 0
    }

    /// Bytes that are counted at most.
    package let maximum: Int
    /// Bytes that each session has besides.
    package let free: Int
    private let core = Locked(Core())

    package init(maximum: Int = FrameLimits.maximumSharedAssembly, free: Int = FrameLimits.freeAssembly) {
        self.maximum = maximum
        self.free = free
    }

    /// - Parameter onEnd: Called when the session is to end because it holds the most, on the thread of whoever spent
    ///   the budget.
    package func join(onEnd: @escaping @Sendable (WireError) -> Void) -> Share {
        core.withLock { core in
            core.last += 1
            core.holders[core.last] = Holder(onEnd: onEnd)
            return Share(self, core.last)
        }
    }

    /// Bytes that are counted at present.
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
