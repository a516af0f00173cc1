extension Reactor {
    private final class TurnEnd: EndOfTurn {
        let waiter: CheckedContinuation<Void, Never>

        init(_ waiter: CheckedContinuation<Void, Never>) {
            self.waiter = waiter
        }

        func endOfTurn() {
            waiter.resume()
        }
    }

    /// Returns when what was enqueued before has run, and what that left for the end of its turn.
    package func turnEnded() async {
        await withCheckedContinuation { waiter in
            execute { self.atEndOfTurn(TurnEnd(waiter)) }
        }
    }
}
