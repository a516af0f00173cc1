import Testing

@testable import LatticeCore

/// Tests the steps that a turn returns for an emission, and their order.
struct TurnOrderTests {
    private static let effect = Emission<String>.perform { nil }

    @Test(
        "A turn returns the steps of an emission, depth first",
        arguments: [
            (.action("a"), ["handle a"], 0),
            (.merge(.action("a"), .none, .merge(.action("b"), .action("c"))), ["handle a", "handle b", "handle c"], 0),
            (effect, ["open"], 1),
            (.merge(effect, .action("a"), effect), ["open", "handle a"], 2),
            (.append(.action("a"), .action("b")), ["open", "handle a", "handle b"], 0),
            // The step that runs has an effect, so the next one waits.
            (.append(.merge(.action("a"), effect), .action("b")), ["open", "handle a"], 1),
            (.merge(effect.cancellable(id: 1), .cancel(id: 1)), ["open", "cancel 1"], 1),
            (
                .merge(effect.cancellable(id: 1), effect.cancellable(id: 1, cancelInFlight: true)),
                ["open", "cancel 1"], 2
            ),
            (.merge(.cancel(id: 1), effect.cancellable(id: 1)), ["cancel 0", "open"], 1),
        ] as [(Emission<String>, [String], Int)]
    )
    func orders(emission: Emission<String>, orders: [String], effects: Int) {
        var turn = Turn(registry: EventTreeRegistry())
        turn.begin(EventContext(), 0, nil)
        #expect(turn.isRunning)
        #expect(!turn.hasSteps && !turn.leavesWork)
        if let content = emission.content { turn.push(content, in: nil) }
        let found = describe(&turn)
        #expect(found == orders)
        #expect(turn.effectCount == effects)
        #expect(
            turn.takeEffects().filter { !$0.hasEnded }.count == (orders.contains("cancel 1") ? effects - 1 : effects)
        )
        let task = turn.endEvent()
        turn.end()
        #expect(!turn.isRunning)
        // An event that asked for effects is over with them.
        #expect((task.outcome == nil) == orders.contains("open"))
    }

    @Test("Effects with the same ID are cancelled oldest first, also after one of them has ended")
    func cancelledInOrder() {
        var turn = Turn(registry: EventTreeRegistry())
        turn.begin(EventContext(), 0, nil)
        let emission = Emission.merge(Array(repeating: Self.effect.cancellable(id: 1), count: 5))
        if let content = emission.content { turn.push(content, in: nil) }
        _ = describe(&turn)
        let effects = turn.takeEffects()
        turn.end(effects[1])
        turn.end(effects[0])
        let cancelled = turn.cancel(EffectID(1))
        #expect(cancelled.map(\.id) == effects[2...].map(\.id))
        #expect(turn.groups.isEmpty)
    }

    @Test("Sends during a turn wait after it, up to a limit")
    func arrivals() {
        var turn = Turn(registry: EventTreeRegistry())
        turn.begin()
        for number in 0..<RuntimeLimits.sendsBehindTurn {
            if !turn.wait(Turn.Arrival(event: EventCompletion()) {}) { Issue.record("\(number) does not wait") }
        }
        let isTooMany = !turn.wait(Turn.Arrival(event: EventCompletion()) {})
        #expect(isTooMany)
        // Actions from effects are never rejected.
        let waits = turn.wait(Turn.Arrival {})
        #expect(waits)
        #expect(turn.hasArrivals && turn.leavesWork)
        let arrivals = turn.takeArrivals()
        #expect(arrivals.count == RuntimeLimits.sendsBehindTurn + 1)
        #expect(!turn.hasArrivals && !turn.leavesWork)
    }

    @Test("A turn that handles too many actions drops the rest of its event")
    func aborted() {
        var turn = Turn(registry: EventTreeRegistry())
        turn.begin(EventContext(), 0, nil)
        for _ in 0..<RuntimeLimits.actionsPerTurn where !turn.count() { Issue.record("stopped too early") }
        let mayGoOn = turn.count()
        #expect(!mayGoOn)
        let emission = Emission<String>.merge(.action("a"), Self.effect)
        if let content = emission.content { turn.push(content, in: nil) }
        let tree = turn.abort(in: nil)
        let orders = describe(&turn)
        #expect(orders == [])
        let task = turn.endEvent()
        #expect(task.isEnded(by: tree.completion))
        #expect(!turn.takeEnded().isEmpty)
        #expect(!turn.leavesWork)
    }

    private func describe(_ turn: inout Turn) -> [String] {
        var orders: [String] = []
        while let order = turn.next() {
            switch order {
            case .handle(let emission, _):
                if case .action(let action) = Emission<String>(emission).kind { orders.append("handle \(action)") }
            case .open: orders.append("open")
            case .cancel(let effects): orders.append("cancel \(effects.count)")
            case .fail(_, let failure): orders.append("fail \(failure.type)")
            case .reject(let rejection, _): orders.append("reject \(rejection.reason)")
            case .sweep: orders.append("sweep")
            }
        }
        return orders
    }
}
