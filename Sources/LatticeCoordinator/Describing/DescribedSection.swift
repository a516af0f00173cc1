import LatticeWire

/// A part of a coordinator that can be described: a list of rows.
struct DescribedSection: Sendable {
    /// The name by which a request asks for the section. A released name never changes its meaning.
    let name: String
    /// A description of the section, in one sentence.
    let about: String
    /// Returns the present number of rows and the keys by which they can be ranked.
    private let summary: @Sendable () async -> (rows: Int, ranks: [String])
    /// Returns the result of a request for this section.
    let result: @Sendable (DescribeMessage) async -> DescribedResult

    /// - Parameter list: Returns the present rows. It is called on a thread of the library, and not on the event loop.
    init<Subject>(_ name: String, _ about: String, list: @escaping @Sendable () async -> DescribedList<Subject>) {
        self.init(name, about, for: { _ in await list() })
    }

    /// - Parameter list: Returns the present rows that a request needs, or all of them without a request. It is called
    ///   on a thread of the library, and not on the event loop.
    init<Subject>(
        _ name: String,
        _ about: String,
        for list: @escaping @Sendable (DescribeMessage?) async -> DescribedList<Subject>
    ) {
        self.name = name
        self.about = about
        result = { request in
            let list = await list(request)
            guard let prepare = list.prepare, case .chosen(var choice) = list.choose(request) else {
                return list.result(of: request)
            }
            choice.subjects = await prepare(choice.subjects)
            return list.page(choice, request)
        }
        summary = {
            let list = await list(nil)
            return (list.subjects.count + list.further, list.ranks.keys.sorted())
        }
    }

    /// Returns the result of a request for one of some sections, or for the list of all of them.
    static func result(of request: DescribeMessage, from sections: [DescribedSection]) async -> DescribedResult {
        if request.section.isEmpty { return await overview(of: sections).result(of: request) }
        if let section = sections.first(where: { $0.name == request.section }) { return await section.result(request) }
        let names = sections.map(\.name).joined(separator: ", ")
        return .failed(
            DescriptionMessage(
                request: request.request,
                .unknownSection,
                reason: "There is no section \"\(request.section)\". The sections are: \(names)."
            )
        )
    }

    private static func overview(of sections: [DescribedSection]) async -> DescribedList<Overview> {
        var overviews: [Overview] = []
        for section in sections {
            let (rows, ranks) = await section.summary()
            overviews.append(Overview(name: section.name, about: section.about, rows: rows, ranks: ranks))
        }
        return DescribedList(
            subjects: overviews,
            keys: ["section"],
            texts: { [$0.name] },
            ranks: [:],
            row: { section in
                [
                    "section": .text(section.name), "about": .text(section.about), "rows": .init(section.rows),
                    "sortKeys": .array(section.ranks.map { .text($0) }),
                ]
            }
        )
    }
}

/// A section in the list of all sections.
private struct Overview {
    let name: String
    let about: String
    let rows: Int
    let ranks: [String]
}
