import Synchronization
import Testing

@testable import LatticeCoding

@Suite struct CodingObserverTests {
    private final class Counter: CodingObserver {
        let count = Atomic(0)

        func codingGoesOn() { count.wrappingAdd(1, ordering: .relaxed) }
    }

    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Returns how often the encoding and the decoding of this many elements report progress.
        let notifications: @Sendable (Int) throws -> (encoding: Int, decoding: Int)

        init<Value: Codable & SendableMetatype>(_ name: String, _ value: @escaping @Sendable (Int) -> Value) {
            testDescription = name
            notifications = { count in
                let (encoding, decoding) = (Counter(), Counter())
                let bytes = try CBOREncoder(observer: encoding).encode(value(count))
                _ = try CBORDecoder(observer: decoding).decode(Value.self, from: bytes)
                return (encoding.count.load(ordering: .relaxed), decoding.count.load(ordering: .relaxed))
            }
        }
    }

    struct Point: Codable, Hashable {
        var x: Int
        var y: Int
    }

    class Base: Codable {
        var number = 1
    }

    final class Derived: Base {
        var name = ""

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            name = try container.decode(String.self, forKey: .name)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(name, forKey: .name)
            try super.encode(to: container.superEncoder())
        }

        enum Keys: CodingKey { case name }
    }

    /// Writes to two nested containers in turn, which the encoder has to do in a second try.
    struct Crossing: Codable {
        var count: Int

        init(count: Int) { self.count = count }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            var first = try container.nestedUnkeyedContainer()
            var second = try container.nestedUnkeyedContainer()
            count = 0
            while !first.isAtEnd {
                _ = try first.decode(Point.self)
                _ = try second.decode(Int.self)
                count += 1
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            var first = container.nestedUnkeyedContainer()
            var second = container.nestedUnkeyedContainer()
            for number in 0..<count {
                try first.encode(Point(x: number, y: 0))
                try second.encode(number)
            }
        }
    }

    static let samples = [
        Sample("[Int]") { [Int](0..<$0) },
        Sample("[String]") { (0..<$0).map { "\($0)" } },
        Sample("[Double]") { (0..<$0).map { Double($0) / 3 } },
        Sample("[UInt16]") { (0..<$0).map { UInt16(truncatingIfNeeded: $0) } },
        Sample("[Bool?]") { (0..<$0).map { $0.isMultiple(of: 2) ? true : nil } },
        Sample("[Point]") { (0..<$0).map { Point(x: $0, y: 1) } },
        Sample("[[Int]]") { (0..<$0).map { [$0] } },
        Sample("[[String: Int]]") { (0..<$0).map { ["a": $0] } },
        Sample("Set<Int>") { Set(0..<$0) },
        Sample("[String: Int]") { Dictionary(uniqueKeysWithValues: (0..<$0).map { ("\($0)", $0) }) },
        Sample("[Point: Int]") { Dictionary(uniqueKeysWithValues: (0..<$0).map { (Point(x: $0, y: 1), $0) }) },
        Sample("[Derived]") { (0..<$0).map { _ in Derived() } },
        Sample("Crossing") { Crossing(count: $0) },
    ]

    @Test(
        "Coding reports progress in proportion to the size of a large value, and none for a small value",
        arguments: samples
    )
    func tellsInProportion(sample: Sample) throws {
        let (small, large, larger) = (
            try sample.notifications(5), try sample.notifications(20_000), try sample.notifications(40_000)
        )
        #expect(small == (0, 0))
        let least = 20_000 / CodingSteps.stride
        for (large, larger) in [(large.encoding, larger.encoding), (large.decoding, larger.decoding)] {
            #expect(large >= least)
            // Sorting takes a little more than in proportion.
            #expect((19 * large / 10...5 * large / 2).contains(larger))
        }
    }

    /// Does much in its own code, and codes little.
    private struct Thoughtful: Codable {
        static let thoughts = 100_000

        init() {}

        init(from decoder: any Decoder) throws { Self.think() }

        func encode(to encoder: any Encoder) throws {
            Self.think()
            var container = encoder.singleValueContainer()
            try container.encode("x")
        }

        static func think() {
            var numbers: Set<Int> = []
            for number in 0..<thoughts { numbers.insert(number % 10) }
            #expect(numbers.count == 10)
        }
    }

    @Test("A value's own code reports no progress")
    func onlyCodingCounts() throws {
        let counter = Counter()
        let bytes = try CBOREncoder(observer: counter).encode([Thoughtful(), Thoughtful()])
        _ = try CBORDecoder(observer: counter).decode([Thoughtful].self, from: bytes)
        #expect(counter.count.load(ordering: .relaxed) == 0)
    }

    @Test("A coding without end stops reporting progress, and the next coding reports again")
    func reportingEnds() {
        let counter = Counter()
        let steps = CodingSteps(maximumNotifications: 3)
        for round in 1...2 {
            steps.begin(counter)
            for _ in 0..<(100 * CodingSteps.stride) { steps.step() }
            #expect(counter.count.load(ordering: .relaxed) == 3 * round)
        }
        steps.end()
        for _ in 0..<CodingSteps.stride { steps.step() }
        #expect(counter.count.load(ordering: .relaxed) == 6)
    }

    @Test("A coding without an observer reports to no earlier observer, although it uses the same buffers")
    func observersAreNotKept() throws {
        let counter = Counter()
        _ = try CBOREncoder(observer: counter).encode([Int](0..<200))
        let reported = counter.count.load(ordering: .relaxed)
        #expect(reported == 1)
        let bytes = try CBOREncoder().encode([Int](0..<10_000))
        _ = try CBORDecoder().decode([Int].self, from: bytes)
        #expect(counter.count.load(ordering: .relaxed) == reported)
    }
}
