import Testing

@testable import LatticeCore

extension Emission where Action == Int {
    /// The shape of an emission, as text.
    var shape: String {
        switch kind {
        case .none: "none"
        case .action(let action): "\(action)"
        case .perform, .attempt: "perform"
        case .run: "run"
        case .observe: "observe"
        case .merge(let children): "merge(" + children.map(\.shape).joined(separator: " ") + ")"
        case .append(let steps): "append(" + steps.map(\.shape).joined(separator: " ") + ")"
        case .cancellable(let inner, _, let cancelInFlight): "cancellable(\(inner.shape) \(cancelInFlight))"
        case .cancel: "cancel"
        case .reject(let rejection): "reject(\(rejection.reason))"
        }
    }
}

private let perform = Emission<Int>.perform { 1 }

@Suite(.timeLimit(.minutes(10)))
struct EmissionTests {
    @Test(
        "Appends are flattened, drop empty ones and unwrap a single step, and then(_:) appends (contracts 1, 2, 3)",
        arguments: [
            (.append(.action(1), .append(.action(2), perform), .action(3)), "append(1 2 perform 3)"),
            (.append(.none, .action(1), .none, perform), "append(1 perform)"),
            (.append(.none, .none), "none"),
            (.append(), "none"),
            (.append(.none, .action(1)), "1"),
            (.append([Emission<Int>.action(1), .action(2)][...]), "append(1 2)"),
            (.append(.none, .append(.action(1), .action(2))), "append(1 2)"),
            (.action(1).then(.action(2)), "append(1 2)"),
            (.action(1).appending(with: .action(2)), "append(1 2)"),
            (.action(1).then(.action(2)).then(.action(3)), "append(1 2 3)"),
            (.merge([.none, .action(1)]), "merge(none 1)"),
            (.merge(.action(1), .merge(.action(2), .none)), "merge(1 merge(2 none))"),
            (.action(1).merging(with: perform), "merge(1 perform)"),
            (perform.cancellable(id: 1, cancelInFlight: true), "cancellable(perform true)"),
            (.cancel(id: 1), "cancel"),
        ] as [(Emission<Int>, String)]
    )
    func structure(emission: Emission<Int>, shape: String) {
        #expect(emission.shape == shape)
        // Mapping keeps the structure; an action stays an action.
        #expect(emission.map { $0 }.shape == shape)
    }

    @Test("Mapping keeps the steps of an append, and an action stays an action (contract 4)")
    func mappedActionIsAnAction() {
        #expect(Emission<Int>.action(20).map { $0 + 1 }.shape == "21")
        #expect(Emission.append(.action(1), .action(2)).map { $0 * 10 }.shape == "append(10 20)")
    }

    @Test func mappedPerformMapsItsResult() async {
        guard case .perform(let work) = perform.map({ "\($0)!" }).kind else {
            Issue.record("expected a perform")
            return
        }
        #expect(await work() == "1!")
    }

    @Test func mappedObserveMapsItsElements() async {
        let emission = Emission<Int>.observe {
            AsyncStream { continuation in
                for element in 1...3 { continuation.yield(element) }
                continuation.finish()
            }
        }
        guard case .observe(let open) = emission.map({ "\($0)" }).kind else {
            Issue.record("expected an observe")
            return
        }
        var elements: [String] = []
        for await element in await open() { elements.append(element) }
        #expect(elements == ["1", "2", "3"])
    }

    @Test("Dropping a mapped stream ends its source (W3)")
    func droppingAMappedStreamEndsItsSource() async {
        let ended = Gate()
        let emission = Emission<Int>.observe {
            AsyncStream { $0.onTermination = { _ in ended.open() } }
        }
        do {
            guard case .observe(let open) = emission.map({ $0 + 1 }).kind else { return }
            _ = await open()
        }
        await ended.wait()
    }

    @Test("Cancelling the consumer of a mapped stream ends its source (W3)")
    func cancellingTheConsumerOfAMappedStreamEndsItsSource() async {
        let started = Gate()
        let ended = Gate()
        let (source, continuation) = AsyncStream<Int>.makeStream()
        continuation.onTermination = { _ in ended.open() }
        let consumer = Task {
            for await _ in source.mappingElements({ $0 + 1 }) { started.open() }
        }
        continuation.yield(1)
        await started.wait()
        consumer.cancel()
        await ended.wait()
        await consumer.value
    }
}
