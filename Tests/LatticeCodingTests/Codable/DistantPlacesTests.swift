import Testing

@testable import LatticeCoding

/// Checks that the address of an element is predicted correctly. A wrong prediction would load nothing, and no other
/// test would notice.
@Suite struct DistantPlacesTests {
    @Test("The address of an element is known before it is inserted") func places() throws {
        for key in 0..<20 {
            var set = Set<Int>(minimumCapacity: 10_000)
            let place = try #require(DistantPlaces(set)).places(of: key)
            set.insert(key)
            #expect(place.map { Self.number(at: $0) } == [key])

            var dictionary = [Int: Int](minimumCapacity: 10_000)
            let places = try #require(DistantPlaces(dictionary)).places(of: key)
            dictionary[key] = key + 1000
            #expect(places.map { Self.number(at: $0) } == [key, key + 1000])
        }
    }

    private static func number(at address: UInt) -> Int? {
        UnsafePointer<Int>(bitPattern: address)?.pointee
    }

    @Test("Small hash tables are not prefetched") func small() {
        #expect(DistantPlaces(Set<Int>()) == nil)
        #expect(DistantPlaces(["a": 1]) == nil)
        #expect(DistantPlaces([Int: String](minimumCapacity: 100)) == nil)
    }

    @Test("Large collections are decoded as they were encoded", arguments: [4095, 4096, 4097, 10_000, 10_016])
    func large(count: Int) throws {
        let texts = Dictionary(uniqueKeysWithValues: (0..<count).map { ("the key \($0)", $0) })
        #expect(try CBORDecoder().decode([String: Int].self, from: CBOREncoder().encode(texts)) == texts)
        let numbers = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, "\($0)") })
        #expect(try CBORDecoder().decode([Int: String].self, from: CBOREncoder().encode(numbers)) == numbers)
        let set = Set(texts.keys)
        #expect(try CBORDecoder().decode(Set<String>.self, from: CBOREncoder().encode(set)) == set)
    }
}
