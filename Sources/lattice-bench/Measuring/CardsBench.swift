import LatticeCoordinator
import LatticeCore
import LatticeToolSupport

/// Measures changes of ten thousand cards that a coordinator and five clients show. Each client has its own process.
@MainActor struct CardsBench {
    private static let clients = 5
    private static let patchesPerSecond = 100

    func run(into report: BenchReport) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/bench.sock"
            try await withCoordinator(
                hosting: CardsFeature.self,
                listeningAt: path,
                configuration: .bench
            ) { coordinator in
                let cards = try await coordinator.viewModel(CardsFeature.self)
                try await ObserverProcesses.with(Self.clients) { observers in
                    for observer in observers { _ = try await observer.answer(.showCards(path: path)) }
                    _ = try await measureMoves(of: cards, BenchScale.warmUp / 100, observers)
                    let moves = try await measureMoves(of: cards, BenchScale.moves, observers)
                    report.add(times: "1 of 10000 cards moved, 5 clients", moves, key: "cards_5_clients")
                    let longest = try await longestTurn(cards, observers[0])
                    report.add(
                        figure: "µs of the main actor's longest turn",
                        longest / 1000,
                        decimals: 0,
                        key: "main_longest_us"
                    )
                }
            }
        }
    }

    /// Measures moves. Each time lasts from the send until the observer of the last client has seen the change.
    private func measureMoves(
        of cards: ViewModel<CardsFeature>,
        _ count: Int,
        _ observers: [ViewModel<ObserverFeature>]
    ) async throws -> Latencies {
        var latencies = Latencies()
        try await Rounds.run(max(1, count)) { _ in
            guard let id = cards.cards.last?.id else { throw BenchError("there are no cards") }
            let start = ProcessFigures.sharedTime
            let event = cards.sendViewEvent(.move(id))
            let questions = observers.map { $0.sendViewEvent(.whenFirst(id)) }
            try BenchError.check(await event.finish(), of: "the move")
            var last = start
            for (observer, question) in zip(observers, questions) {
                try BenchError.check(await question.finish(), of: "what a client has seen")
                last = max(last, observer.viewState.first ?? start)
            }
            latencies.record(.nanoseconds(Int64(last - start)))
        }
        return latencies
    }

    /// Returns the longest turn of the main actor in the coordinator or a client while cards are renamed, in
    /// nanoseconds.
    private func longestTurn(
        _ cards: ViewModel<CardsFeature>,
        _ observer: ViewModel<ObserverFeature>
    ) async throws -> Double {
        let watch = MainActorWatch()
        watch.start()
        _ = try await observer.answer(.longestTurn)
        let start = ContinuousClock.now
        for number in 0..<BenchScale.patches {
            let id = number * 7919 % CardsFeature.count
            try BenchError.check(
                await cards.sendViewEvent(.rename(id, "Card \(id), for the time \(number)")).finish(),
                of: "patch \(number)"
            )
            try await Task.sleep(until: start + .seconds(1) * (number + 1) / Self.patchesPerSecond)
        }
        let inClient = try await observer.answer(.longestTurn).first ?? 0
        return Double(max(watch.takeLongest(), inClient))
    }
}
