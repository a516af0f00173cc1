import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWorker
import Testing

/// Tests the deliveries to the opener of a channel. One object is filled again for each delivery.
@Suite(.timeLimit(.minutes(10)))
struct DeliveryTests {
    @Test("An event that has ended is not retained")
    func endingsAreLetGo() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            try await bench.start()
            weak var completion: EventCompletion?
            do {
                let sent = channel.actions.sendTracked(.add(1)).completion
                completion = sent
                let task = EventTask(completion: sent)
                #expect(await task.finish() == .finished)
            }
            try await recorder.record.until { $0.endings == 1 }
            // The delivery in which it ended may not be over.
            let eventLoop = channel.channel.eventLoop
            await withCheckedContinuation { waiter in eventLoop.execute { waiter.resume() } }
            #expect(completion == nil)
        }
    }

    @Test("A state is decoded once, whatever its size, and is not retained after its delivery")
    func decodedOnce() async throws {
        try await WorkerBench.with { bench in
            struct Seen: Sendable {
                var sizes: [Int] = []
                var again = 0
                var kept: Delivery<JournalFeature.DomainState>?
            }
            let seen = Watched(Seen())
            let channel = WorkerBench.Channel(
                .init(feature: JournalFeature.identifier, schema: 1, instance: "", restoresState: true),
                in: bench.channels,
                sender: bench.sender
            ) { delivery in
                let state = delivery.decodeState()
                let again = delivery.decodeState()
                seen.change { seen in
                    if let state { seen.sizes.append(state.padding.utf8.count) }
                    if again != nil { seen.again += 1 }
                    seen.kept = delivery
                }
                for ending in delivery.channelUpdate.endings { ending.promise.ended(ending.outcome) }
            }
            try await bench.start()
            try await seen.until { $0.sizes == [0] }
            // The sizes include values around the one above which decoding reports progress, and one that is decoded on
            // another thread.
            let sizes = [1, 4000, 100, 300_000]
            for size in sizes { #expect(await channel.send(.grow(size)).finish() == .finished) }
            let sums = sizes.indices.map { sizes[...$0].reduce(0, +) }
            let all = try await seen.until { $0.sizes.last == sums.last }
            #expect(all.sizes == [0] + sums && all.again == 0)
            let eventLoop = channel.channel.eventLoop
            await withCheckedContinuation { waiter in
                eventLoop.execute {
                    #expect(all.kept?.hasState == false && all.kept?.decodeState() == nil)
                    waiter.resume()
                }
            }
        }
    }
}
