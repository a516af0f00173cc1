import LatticeCore
import LatticeWire

/// The section with the newest records of the log.
extension CoordinatorSections {
    var logSection: DescribedSection {
        DescribedSection(
            "log",
            "The newest records of the log, oldest first.",
            for: { [facts] request in
                DescribedList(
                    // The records before a number are not even copied.
                    subjects: facts.log.records(after: request?.after ?? 0),
                    keys: ["number"],
                    texts: { [$0.event.description] + $0.event.subjects.names },
                    ranks: [:],
                    number: { $0.number },
                    row: { $0.row }
                )
            }
        )
    }
}

extension RuntimeSubjects {
    /// The names of the worker and the group.
    fileprivate var names: [String] { [member?.title, groupName].compactMap { $0 } }

    /// The name of the group, as in the section with the groups.
    fileprivate var groupName: String? { group.map { $0.isEmpty ? "default" : $0 } }
}

extension LogHistory.Record {
    /// The row of the record.
    var row: [String: DescriptionValue] {
        let (subjects, line) = (event.subjects, event.logLine)
        let entry = line?.entry
        return [
            "number": .init(number),
            "agoMilliseconds": .age(time),
            "kind": .text("\(event.kind)"),
            "level": .init(line?.level.rawValue),
            "message": .init(line?.message),
            "worker": .init(subjects.member?.title),
            "group": .init(subjects.groupName),
            "processID": .init(subjects.processID),
            "incarnation": .init(subjects.incarnation),
            "feature": .init(subjects.feature),
            "instance": .init(subjects.instance),
            "events": .array(subjects.events.map { .text($0) }),
            "label": .init(entry?.label),
            "source": .init(entry?.source),
            "metadata": .map((entry?.metadata ?? [:]).mapValues { .text($0) }),
            "details": .array(details.map { .text($0) }),
        ]
    }

    /// The lines that belong to the record besides its message: a crash report, or the last output of a worker that
    /// has ended.
    private var details: [String] {
        switch event {
        case .workerCrashReported(_, _, let report): report.split(separator: "\n").map(String.init)
        case .workerTerminated(let end): end.report?.output ?? []
        default: []
        }
    }
}
