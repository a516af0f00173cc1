import LatticeCore

/// The processor time of the processes of each group. It only grows, although processes end and new ones begin at zero.
///
/// The time that a process uses after its figures were read last is lost when it ends.
struct ProcessorTotals {
    /// What identifies a process, as far as the figures say it.
    private struct Key: Hashable {
        let group: String?
        let process: Int32
    }

    private var last: [Key: Duration] = [:]

    /// Adds figures that were read after those before them.
    ///
    /// - Returns: The time that the processes of each group have used since the figures before.
    mutating func add(_ processes: [RuntimeFigures.Process]) -> [String?: Duration] {
        var (grown, present): ([String?: Duration], [Key: Duration]) = ([:], [:])
        for process in processes {
            let key = Key(group: process.group, process: process.processID)
            // A process whose time is unknown at the moment keeps the one that was counted.
            guard let time = process.cpuTime else {
                present[key] = last[key]
                continue
            }
            let before = last[key] ?? .zero
            // A process with less time than before is another one with the same number.
            grown[process.group, default: .zero] += time >= before ? time - before : time
            present[key] = time
        }
        last = present
        return grown
    }
}
