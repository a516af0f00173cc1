import LatticeCore
import LatticeTestSupport
import LatticeWire
import Testing

@testable import LatticeSession

struct KeptStateTests {
    /// The source of a state: bytes, or a closure of its owner that encodes it.
    enum Source: CaseIterable {
        case bytes
        case encoded
    }

    @Test("A kept state is the result of its changes, however many are kept", arguments: Source.allCases, [0, 3, 1000])
    func itIsWhatItsChangesMakeOfIt(source: Source, most: Int) throws {
        var generator = SeededGenerator(seed: 7)
        var limits = ChannelLimits()
        limits.maximumChanges = most
        var state = ChangingMap()
        let first = state.encoded
        var kept = source == .bytes ? KeptState(first) : KeptState(encodedBy: { first })
        #expect(try kept.encoded() == first)
        for _ in 0..<20 {
            kept.change(by: state.change(using: &generator), limits)
            #expect(try kept.encoded() == state.encoded)
        }
    }

    @Test("A state that its owner can encode is not encoded for its changes") func nothingIsEncodedForChanges() throws {
        let encodings = Watched(0)
        var generator = SeededGenerator(seed: 5)
        var limits = ChannelLimits()
        limits.maximumChanges = 1
        var state = ChangingMap()
        let first = state.encoded
        var kept = KeptState(encodedBy: {
            encodings.change { $0 += 1 }
            return first
        })
        for _ in 0..<10 { kept.change(by: state.change(using: &generator), limits) }
        #expect(encodings.value == 0)
        #expect(try kept.encoded() == state.encoded)
    }

    @Test("A state whose changes cannot be applied is not available", arguments: [0, 1000])
    func aStateOfBadChangesIsNotToBeHad(most: Int) throws {
        var limits = ChannelLimits()
        limits.maximumChanges = most
        var kept = KeptState(ChangingMap().encoded)
        kept.change(by: [0x82, 2, 0x81, 0x83, 0, 0, 1], limits)
        #expect(throws: WireError.self) { try kept.encoded() }
        kept.change(by: [0x82, 0, 1], limits)
        #expect(try kept.encoded() == [1], "what replaces all of it makes it another state")
    }

    @Test("A state whose changes exceed the maximum size is not available", arguments: [0, 1000])
    func aStateOfLargeChangesIsNotToBeHad(most: Int) throws {
        var limits = ChannelLimits()
        limits.maximumChanges = most
        var state = ChangingMap(count: 40)
        var kept = KeptState(state.encoded)
        limits.maximumState = state.encoded.count + 5 * 10
        for key in 40..<50 {
            kept.change(by: state.set(key, to: 1), limits)
            #expect(try kept.encoded() == state.encoded)
        }
        kept.change(by: state.set(50, to: 1), limits)
        let error = #expect(throws: WireError.self) { try kept.encoded() }
        #expect(error?.code == .tooLarge)
    }

    @Test("Many small changes of a large state are merged, and applied only on demand")
    func smallChangesAreFolded() throws {
        var generator = SeededGenerator(seed: 13)
        var limits = ChannelLimits()
        limits.maximumChanges = 5
        var state = ChangingMap()
        var kept = KeptState(state.encoded)
        for _ in 0..<40 {
            kept.change(by: state.change(using: &generator), limits)
            #expect(!kept.isReady)
        }
        #expect(try kept.encoded() == state.encoded)
    }

    @Test("Small changes after a large one are not merged with it each time")
    func aLargeChangeIsNotFoldedForEach() throws {
        var limits = ChannelLimits()
        limits.maximumChangeBytes = 100
        var (gathered, state) = (GatheredState(), ChangingMap(count: 0))
        let first = state
        // Changes are merged at this many bytes, and then at twice as many each time.
        let folds = try (0..<64).filter { key in
            try gathered.append(state.set(key, to: 1), limits)
            return key > 0 && gathered.changes.count == 1
        }
        #expect((2...5).contains(folds.count), "\(folds)")
        #expect(try first.encoded.applying(gathered.changes) == state.encoded)
    }

    @Test("A tick's result is the last whole state and a bounded number of changes after it")
    func whatATickBroughtIsBounded() throws {
        var generator = SeededGenerator(seed: 3)
        var limits = ChannelLimits()
        limits.maximumChanges = 5
        var (gathered, state) = (GatheredState(), ChangingMap())
        try gathered.append(state.change(using: &generator), limits)
        gathered.replace(by: state.encoded)
        #expect(gathered.changes.isEmpty)
        for _ in 0..<30 {
            try gathered.append(state.change(using: &generator), limits)
            #expect(gathered.changes.count <= 5)
        }
        #expect(try gathered.snapshot?.applying(gathered.changes) == state.encoded)
        // A change of an array among those of a map.
        #expect(throws: WireError.self) {
            for _ in 0..<6 { try gathered.append([0x82, 2, 0x81, 0x83, 0, 0, 1], limits) }
        }
    }
}
