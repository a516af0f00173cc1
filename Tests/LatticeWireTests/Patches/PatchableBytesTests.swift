import ByteTestSupport
import LatticeCoding
import LatticeCore
import LatticeWire
import Testing

/// Tests that patches have the same result on bytes as on the types behind them.
@Suite struct PatchableBytesTests {
    @Test(
        "Patches of values that are applied and merged as bytes give the bytes of the values",
        .timeLimit(.minutes(1))
    )
    func bytesOfValues() throws {
        var random = SplitMix(seed: FuzzTests.seed)
        var values = [Library()]
        for _ in 0..<400 {
            var next = values[values.count - 1]
            for _ in 0...random.below(5) { next.change(&random) }
            values.append(next)
        }
        var (older, total): (Library, StateChange?) = (values[0], nil)
        for (index, (old, new)) in zip(values, values.dropFirst()).enumerated() {
            guard let patch = try new.patch(from: old) else {
                #expect(old == new)
                continue
            }
            let change = StateChange(patch.bytes)
            try change.check()
            #expect(try change.apply(to: encoded(old), maximum: .max) == encoded(new), "seed \(FuzzTests.seed)")
            let folded = try total?.folded(with: change) ?? change
            #expect(try folded.apply(to: encoded(older), maximum: .max) == encoded(new), "seed \(FuzzTests.seed)")
            // The types take in what was folded, too.
            var value = older
            try value.apply(Patch(bytes: folded.bytes))
            #expect(value == new, "seed \(FuzzTests.seed)")
            (older, total) = index.isMultiple(of: 20) ? (new, nil) : (older, folded)
        }
    }

    @Test func valuesWithNothingInCommon() throws {
        var random = SplitMix(seed: FuzzTests.seed &+ 1)
        func value() -> Library {
            var library = Library()
            for _ in 0..<random.below(60) { library.change(&random) }
            return library
        }
        for _ in 0..<60 {
            let (old, new) = (value(), value())
            guard let patch = try new.patch(from: old) else { continue }
            let result = try StateChange(patch.bytes).apply(to: encoded(old), maximum: .max)
            #expect(result == (try encoded(new)), "seed \(FuzzTests.seed)")
        }
    }

    private func encoded(_ library: Library) throws -> [UInt8] { try CBOREncoder().encode(library) }
}

// MARK: Subjects

private struct Library: Patchable {
    var motto: String?
    var books: StateDictionary<Int, Book> = [:]
    var queue: StateList<Book> = []
    var numbers: [Double] = []
    var shelves: [[Book]] = []
    var readers: [String: [Int]] = [:]
    var door = Door.closed
    var marks: Set<Int> = []

    func encodePatch(from old: Library, to patch: inout PatchEncoder) throws {
        try patch.field("motto", from: old.motto, to: motto)
        try patch.field("books", from: old.books, to: books)
        try patch.field("queue", from: old.queue, to: queue)
        try patch.field("numbers", from: old.numbers, to: numbers)
        try patch.field("shelves", from: old.shelves, to: shelves)
        try patch.field("readers", from: old.readers, to: readers)
        try patch.field("door", from: old.door, to: door)
        try patch.field("marks", from: old.marks, to: marks)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "motto": try patch.apply(to: &motto)
            case "books": try patch.apply(to: &books)
            case "queue": try patch.apply(to: &queue)
            case "numbers": try patch.apply(to: &numbers)
            case "shelves": try patch.apply(to: &shelves)
            case "readers": try patch.apply(to: &readers)
            case "door": try patch.apply(to: &door)
            case "marks": try patch.apply(to: &marks)
            default: throw patch.unknownField(name)
            }
        }
    }

    mutating func change(_ random: inout SplitMix) {
        let number = random.below(90)
        switch random.below(16) {
        case 0: motto = number % 3 == 0 ? nil : "\(number)"
        case 1, 2: books[number] = Book(id: number)
        case 3: books[number] = nil
        case 4: books[number]?.words["w", default: 0] += 1
        case 5: queue.insert(Book(id: number), at: number % (queue.count + 1))
        case 6: if number < queue.count { queue.remove(at: number) }
        case 7: if number < queue.count { queue[number].title = "t\(number)" }
        case 8: if let id = queue.first?.id { queue.move(id: id, to: number % queue.count) }
        case 9: numbers.insert(Double(number) / 3, at: number % (numbers.count + 1))
        case 10: numbers = number % 9 == 0 ? [] : numbers.map { $0 > 20 ? $0 / 2 : $0 }
        case 11: shelves.append((0..<(number % 4)).map { Book(id: $0) })
        case 12: if !shelves.isEmpty { shelves[number % shelves.count].append(Book(id: number)) }
        case 13: readers["r\(number % 7)"] = number % 4 == 0 ? nil : [number]
        case 14: door = number % 3 == 0 ? .closed : .open(Book(id: number))
        default: marks.formSymmetricDifference([number % 9])
        }
    }
}

private enum Door: Codable, Equatable, Patchable {
    case closed
    case open(Book)
}

private struct Book: Patchable, Identifiable {
    var id: Int
    var title = ""
    var words: StateDictionary<String, Int> = [:]

    func encodePatch(from old: Book, to patch: inout PatchEncoder) throws {
        try patch.field("id", from: old.id, to: id)
        try patch.field("title", from: old.title, to: title)
        try patch.field("words", from: old.words, to: words)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "id": try patch.apply(to: &id)
            case "title": try patch.apply(to: &title)
            case "words": try patch.apply(to: &words)
            default: throw patch.unknownField(name)
            }
        }
    }
}
