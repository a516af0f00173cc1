import LatticeWire

/// A part of a coordinator that can be described: a list of rows.
struct DescribedSection: Sendable {
    /// The name by which a request asks for the section. A released name never changes its meaning.
    let name: String
    /// A description of the section, in one sentence.
    let about: String
    /// Returns the present number of rows and the keys by which they can be ranked.
    private let summary: @Sendable () -> (rows: Int, ranks: [String])
    /// Returns the answer to a request for this section.
    let answer: @Sendable (DescribeMessage) -> DescriptionMessage

    /// - Parameter list: Returns the present rows. It is called on a thread of the library, and not on the event loop.
    init<Subject>(_ name: String, _ about: String, list: @escaping @Sendable () -> DescribedList<Subject>) {
        self.name = name
        self.about = about
        answer = { list().answer($0) }
        summary = {
            let list = list()
            return (list.subjects.count, list.ranks.keys.sorted())
        }
    }

    /// Returns the answer to a request for one of some sections, or for the list of all of them.
    static func answer(_ request: DescribeMessage, from sections: [DescribedSection]) -> DescriptionMessage {
        if request.section.isEmpty { return overview(of: sections).answer(request) }
        if let section = sections.first(where: { $0.name == request.section }) { return section.answer(request) }
        let names = sections.map(\.name).joined(separator: ", ")
        return DescriptionMessage(
            request: request.request,
            .unknownSection,
            reason: "There is no section \"\(request.section)\". The sections are: \(names)."
        )
    }

    private static func overview(of sections: [DescribedSection]) -> DescribedList<DescribedSection> {
        DescribedList(
            subjects: sections,
            texts: { [$0.name] },
            ranks: [:],
            row: { section in
                let (rows, ranks) = section.summary()
                return [
                    "section": .text(section.name), "about": .text(section.about), "rows": .init(rows),
                    "sortKeys": .array(ranks.map { .text($0) }),
                ]
            }
        )
    }
}
