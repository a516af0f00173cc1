import LatticeCoding

extension StateList: Patchable where Element: Codable & Equatable {
    /// Encodes the added, removed, changed and moved elements. An element that was moved is encoded as a piece of the
    /// old list, from any position.
    /// - Complexity: O(*k* log *n*) for *k* changed elements, if this list was made from `old`.
    @inlinable
    public func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        guard !isEmpty, !old.isEmpty else {
            if isEmpty != old.isEmpty { try patch.set(self) }
            return
        }
        // The position in the old list of the next element that both lists contain.
        var oldPosition = 0
        func insert(_ element: Element) throws {
            if let position = old.index(id: element.id) {
                try patch.keep(position, from: old[position], to: element, ofOld: old.count)
            } else {
                try patch.insert(element, ofOld: old.count)
            }
        }
        try elements.differences(from: old.elements) { (difference) throws(any Error) in
            switch difference {
            case .shared(let shared):
                let count = shared.count
                patch.keep(oldPosition, count: count, ofOld: old.count)
                oldPosition += count
            case .both(_, let oldElement, let element):
                if isSameKey(oldElement.id, element.id) {
                    try patch.keep(oldPosition, from: oldElement, to: element, ofOld: old.count)
                } else {
                    try insert(element)
                }
                oldPosition += 1
            case .removed:
                oldPosition += 1
            case .inserted(_, let element):
                try insert(element)
            }
        }
    }

    /// Applies the added, removed, changed and moved elements.
    /// - Complexity: O(*k* log *n*) for *k* pieces if few were moved, or O(*n*) if many were.
    @inlinable
    public mutating func apply(_ patch: inout PatchDecoder) throws {
        var plan = ListPlan<Element>()
        let old = self
        try patch.pieces(ofOld: count) { piece, patch in
            switch piece {
            case .kept(let range):
                plan.pieces.append(.kept(range))
            case .changed(let position):
                var element = old[position]
                try patch.apply(to: &element)
                guard isSameKey(element.id, old[position].id) else {
                    throw patch.mismatch("the id of an element changes")
                }
                plan.pieces.append(.changed(position, element))
            case .values(let count):
                for _ in 0..<count { plan.pieces.append(.inserted(try patch.decode())) }
            }
        }
        guard plan.apply(to: &self) else { throw patch.mismatch("an element occurs twice") }
    }
}

extension StateList: Encodable where Element: Encodable {
    /// Encodes the list as an array of its elements.
    /// - Complexity: O(*n*).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension StateList: Decodable where Element: Decodable {
    /// Decodes a list from an array of its elements.
    /// - Throws: A `DecodingError`, also if an `id` occurs twice.
    /// - Complexity: O(*n* log *n*).
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var elements: [Element] = []
        while !container.isAtEnd { elements.append(try container.decode(Element.self)) }
        self.init(elements)
        guard count == elements.count else {
            let sentence = "an id occurs twice among the \(elements.count) elements of \(Self.self)"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: sentence)
        }
    }
}
