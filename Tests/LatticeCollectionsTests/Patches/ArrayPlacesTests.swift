import LatticeCore
import Testing

@testable import LatticeCollections

/// An old state becomes the same as a new one, and has arrays of its own then.
@Suite struct ArrayPlacesTests {
    struct Inner: Codable, Equatable {
        var texts: [String]
        var number = 0
    }

    struct State: Codable, Equatable {
        var numbers: [Int]
        let name: String
        var inner: Inner
        var padded: [Padded]
    }

    /// Between its properties are bytes that belong to none.
    struct Padded: Codable, Equatable {
        var isOn: Bool
        var text: String
    }

    private static func state(_ count: Int, _ seed: Int = 0) -> State {
        State(
            numbers: (0..<count).map { $0 + seed },
            name: "\(seed)",
            inner: Inner(texts: (0..<count).map { "the text of element \($0 + seed)" }),
            padded: (0..<count).map { Padded(isOn: $0.isMultiple(of: 2), text: "the padding of \($0 + seed)") }
        )
    }

    private static func place(_ array: [some Any]) -> UnsafeRawPointer? {
        array.withUnsafeBytes { $0.baseAddress }
    }

    @Test("Differences are applied in place, also in nested structs, and no storage is shared")
    func inPlace() {
        var old = Self.state(100)
        var new = old
        new.numbers[40] = -1
        new.inner.texts[99] = "another text that is long enough"
        new.inner.number = 7
        // The first time the arrays still share the storage of the new state, because nothing has changed the old one.
        let places = ArrayPlaces<State>()
        places.renew(&old, as: new)
        #expect(old == new)
        let (numbers, texts) = (Self.place(old.numbers), Self.place(old.inner.texts))
        for step in 0..<20 {
            new.numbers[step] = -step
            new.inner.texts[step * 5] = "the text of step \(step), which is long enough"
            let copy = new
            places.renew(&old, as: new)
            #expect(old == copy)
            #expect(new == copy)
            #expect(Self.place(old.numbers) == numbers)
            #expect(Self.place(old.inner.texts) == texts)
            #expect(Self.place(new.numbers) != numbers)
        }
    }

    @Test("Shared storage stays shared, and an emptied array keeps no capacity") func sharedStorage() {
        let new = Self.state(100)
        var old = new
        ArrayPlaces<State>().renew(&old, as: new)
        #expect(Self.place(old.numbers) == Self.place(new.numbers))
        var large = Array(0..<100_000)
        ArrayPlaces<[Int]>().renew(&large, as: [1])
        #expect(large == [1])
        #expect(large.capacity < 1000)
    }

    @Test("Arrays that are also used elsewhere are copied, and the other copies do not change")
    func shared() {
        var old = Self.state(50)
        let kept = old
        var new = Self.state(50)
        new.numbers[3] = 1000
        ArrayPlaces<State>().renew(&old, as: new)
        #expect(old == new)
        #expect(kept == Self.state(50))
    }

    @Test("Any state can become any other state", arguments: [1, 2, 3, 4] as [UInt64])
    func law(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let places = ArrayPlaces<State>()
        var old = Self.state(20)
        var new = old
        for _ in 0..<300 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                new = Self.state(Int.random(in: 0..<40, using: &generator), Int.random(in: 0..<3, using: &generator))
            case 1: new.numbers.append(5)
            case 2: _ = new.inner.texts.popLast()
            case 3: new.padded.insert(Padded(isOn: true, text: "in between, and long enough"), at: 0)
            case 4: new.numbers.removeAll()
            case 5: if !new.padded.isEmpty { new.padded[new.padded.count / 2].isOn.toggle() }
            case 6: new.inner.texts.shuffle(using: &generator)
            default: if !new.numbers.isEmpty { new.numbers[0] += 1 }
            }
            let copy = new
            places.renew(&old, as: new)
            #expect(old == copy)
            #expect(new == copy)
        }
    }

    @Test("A state that is an array is one place, and a state without arrays has none") func places() {
        #expect(ArrayPlaces<[String]>().isEmpty == false)
        #expect(ArrayPlaces<Int>().isEmpty)
        #expect(ArrayPlaces<StateDictionary<String, Int>>().isEmpty)
        var old = ["a", "b"]
        ArrayPlaces<[String]>().renew(&old, as: ["a", "c", "d"])
        #expect(old == ["a", "c", "d"])
    }
}
