extension Reactor {
    private final class TurnEnd: TickObserver {
        let waiter: CheckedContinuation<Void, Never>

        init(_ waiter: CheckedContinuation<Void, Never>) {
            self.waiter = waiter
        }

        func tickEnded() {
            waiter.resume()
        }
    }

    /// Returns when what was enqueued before has run, and what that left for the end of its turn.
    package func turnEnded() async {
        await withCheckedContinuation { waiter in
            execute { self.atEndOfTick(TurnEnd(waiter)) }
        }
    }
}
