import LatticeWire

/// The differences between two values, with one line for each place.
struct ValueDifference {
    /// The maximum number of characters of a value in a line.
    private static let valueWidth = 60

    private let maximum: Int
    private var lines: [String] = []
    private var leftOut = 0

    /// Returns the lines. The values are nil if there is none at the path.
    static func lines(
        from old: DescriptionValue?,
        to new: DescriptionValue?,
        at path: ValuePath,
        _ maximum: Int
    ) -> [String] {
        var difference = ValueDifference(maximum: maximum)
        difference.compare(old, new, path)
        if difference.leftOut > 0 { difference.lines.append("and \(difference.leftOut) more") }
        return difference.lines
    }

    private init(maximum: Int) {
        self.maximum = maximum
    }

    private mutating func compare(_ old: DescriptionValue?, _ new: DescriptionValue?, _ path: ValuePath) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, let new?): add(path) { "\($0) added: \(Self.text(new))" }
        case (let old?, nil): add(path) { "\($0) removed: \(Self.text(old))" }
        case (.map(let old)?, .map(let new)?):
            for key in Set(old.keys).union(new.keys).sorted() { compare(old[key], new[key], path.appending(.key(key))) }
        case (.array(let old)?, .array(let new)?): compare(old, new, path)
        case (let old?, let new?):
            guard old != new else { break }
            add(path) { "\($0): \(Self.text(old)) → \(Self.text(new))" }
        }
    }

    /// Compares arrays. Equal elements at the beginning and at the end stay in place, so an element that is inserted or
    /// removed between them is one difference.
    private mutating func compare(_ old: [DescriptionValue], _ new: [DescriptionValue], _ path: ValuePath) {
        let shorter = min(old.count, new.count)
        let start = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
        let rest = shorter - start
        let end = (0..<rest).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? rest
        let (oldRest, newRest) = (old[start..<(old.count - end)], new[start..<(new.count - end)])
        for index in start..<(start + max(oldRest.count, newRest.count)) {
            compare(
                // Not `nil`, which would be the value null.
                oldRest.indices.contains(index) ? oldRest[index] : Optional.none,
                newRest.indices.contains(index) ? newRest[index] : Optional.none,
                path.appending(.index(index))
            )
        }
    }

    private mutating func add(_ path: ValuePath, _ line: (String) -> String) {
        if lines.count < maximum {
            lines.append(line(path.steps.isEmpty ? "state" : "\(path)"))
        } else {
            leftOut += 1
        }
    }

    private static func text(_ value: DescriptionValue) -> String {
        let text = value.json(atMost: valueWidth)
        return DescriptionValue.printable(text)
    }
}
