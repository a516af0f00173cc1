import ByteTestSupport
import LatticeCoding
import LatticeWire
import Testing

/// Where the rows of a page of a subscription come from.
struct RowPlacesTests {
    static let examples: [(name: String, moves: [Int?], bytes: [UInt8])] = [
        ("no rows", [], [0x80]),
        ("nothing has changed", [0, 1, 2], [0x82, 0x00, 0x03]),
        ("one row has changed", [0, nil, 2], [0x85, 0x00, 0x01, 0x20, 0x02, 0x01]),
        ("all rows are new", [nil, nil], [0x81, 0x21]),
        ("two rows have changed places", [1, 0], [0x84, 0x01, 0x01, 0x00, 0x01]),
    ]

    /// Returns the places of rows that are kept, given by their places before, or sent.
    private func places(_ moves: [Int?]) -> RowPlaces {
        var places = RowPlaces()
        for place in moves { if let place { places.keep(place) } else { places.send() } }
        return places
    }

    @Test("Places have one form", arguments: examples)
    func form(name: String, moves: [Int?], bytes: [UInt8]) throws {
        #expect(places(moves).bytes == bytes)
        #expect(try RowPlaces(decoding: bytes) == places(moves))
    }

    static let wrong: [(name: String, bytes: [UInt8])] = [
        ("no array", [0x00]), ("nothing", []), ("a place without a number of rows", [0x81, 0x00]),
        ("no rows at a place", [0x82, 0x00, 0x00]), ("fewer than no rows", [0x82, 0x00, 0x20]),
        ("a text", [0x81, 0x60]), ("bytes behind it", [0x80, 0x00]),
        ("more rows than a message holds", [0x82, 0x00, 0x1a, 0x00, 0x04, 0x00, 0x01]),
        ("a number above 32 bits", [0x82, 0x1b, 0, 0, 0, 1, 0, 0, 0, 0, 0x01]),
    ]

    @Test("Anything else is refused", arguments: wrong)
    func refused(name: String, bytes: [UInt8]) {
        #expect(throws: CBORError.self) { try RowPlaces(decoding: bytes) }
    }

    static let unfitting: [(name: String, moves: [Int?], before: Int, sent: Int)] = [
        ("a row that was not there", [2], 2, 0), ("too few rows were sent", [nil, nil], 0, 1),
        ("too many rows were sent", [0], 1, 1),
    ]

    @Test("Places that are not those of the rows make no page", arguments: unfitting)
    func fits(name: String, moves: [Int?], before: Int, sent: Int) {
        let (before, sent) = (Array(0..<before), Array(100..<(100 + sent)))
        #expect(places(moves).page(from: before, sent) == nil)
    }

    @Test("Random pages come out of the rows before and the rows that are sent", arguments: 0..<50)
    func random(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let before = Array(0..<Int.random(in: 0...20, using: &random))
        var (moves, sent, expected): ([Int?], [Int], [Int]) = ([], [], [])
        for number in 0..<Int.random(in: 0...20, using: &random) {
            if let kept = before.randomElement(using: &random), Bool.random(using: &random) {
                moves.append(kept)
                expected.append(kept)
            } else {
                moves.append(nil)
                sent.append(100 + number)
                expected.append(100 + number)
            }
        }
        #expect(try RowPlaces(decoding: places(moves).bytes).page(from: before, sent) == expected)
    }
}

/// The values of rows that only say how much time has passed.
struct DescriptionAgesTests {
    static let rows: [(name: String, row: [String: DescriptionValue], later: [String: DescriptionValue])] = [
        ("no ages", ["a": 1, "cpuMilliseconds": 5], ["a": 1, "cpuMilliseconds": 5]),
        ("an age", ["sinceMilliseconds": 5], ["sinceMilliseconds": 2005]),
        ("a time that is left", ["deadlineMilliseconds": 2500], ["deadlineMilliseconds": 500]),
        ("no time is left", ["deadlineMilliseconds": 500], ["deadlineMilliseconds": 0]),
        ("no age is known", ["ageMilliseconds": nil], ["ageMilliseconds": nil]),
        (
            "ages inside", ["terminations": [["agoMilliseconds": 1, "cause": "x"]], "a": ["uptimeMilliseconds": 2]],
            ["terminations": [["agoMilliseconds": 2001, "cause": "x"]], "a": ["uptimeMilliseconds": 2002]]
        ),
    ]

    @Test("Ages grow, and everything else stays", arguments: rows)
    func grow(name: String, row: [String: DescriptionValue], later: [String: DescriptionValue]) {
        #expect(DescriptionAges.advanced(row, by: 2000) == later)
        let (now, then) = (DescriptionAges.split(row), DescriptionAges.split(later))
        #expect(now?.still == then?.still)
        #expect(DescriptionAges.hasAges(row) == (now != nil))
        for (age, later) in zip(now?.ages ?? [], then?.ages ?? []) {
            #expect(age.isSame(later, after: 2000))
        }
    }

    @Test("An age that has begun again is another one")
    func beginsAgain() throws {
        let ages = try [5_000, 3_000, 0].map { age in
            try #require(DescriptionAges.split(["sinceMilliseconds": .init(age)])?.ages.first)
        }
        #expect(ages[0].isSame(ages[0], after: 900) && !ages[0].isSame(ages[0], after: 1_100))
        #expect(!ages[0].isSame(ages[2], after: 0) && ages[1].isSame(ages[0], after: 2_500))
    }

    @Test("An age of any size is no error")
    func extreme() {
        let row: [String: DescriptionValue] = ["ageMilliseconds": .integer(Int128(UInt64.max))]
        #expect((DescriptionAges.advanced(row, by: .max >> 16)["ageMilliseconds"]?.int ?? 0) > 1 << 50)
    }
}
