package import LatticeCore
package import LatticeSession

/// The status of the process that runs a feature, together with the problems of this process with its states.
package struct ShownStatus {
    /// The last report about the process, or nil if there was none.
    private var report: ChannelUpdate.HostReport?
    /// The status without problems of this process.
    private var reported: HostStatus = .connecting
    private var stateProblem: String?
    /// The reason why processes that share the displayed state have an older one, or nil if they do not.
    private var sharingProblem: String?

    /// The status, including problems of this process.
    package private(set) var host: HostStatus = .connecting

    package init() {}

    /// The reason why a displayed state is older than it should be, or nil if it is not.
    package var problem: String? { stateProblem ?? sharingProblem }

    /// Returns the status for processes that share another state than the displayed one, and may have an older one.
    package func host(sharingProblem: String?) -> HostStatus { reported.with(problem: stateProblem ?? sharingProblem) }

    /// The changes that lead to this status.
    package var changes: [ChannelUpdate.Change] {
        (report.map { [.host($0)] } ?? []) + (problem.map { [.problem($0)] } ?? [])
    }

    /// Notes the changes of the channel.
    ///
    /// - Returns: A Boolean value that indicates whether the status has changed.
    package mutating func note(_ changes: [ChannelUpdate.Change]) -> Bool {
        for change in changes {
            switch change {
            case .host(let host):
                report = host
                reported = HostStatus(host.status, from: host.coordinator)
            case .problem(let sentence): stateProblem = sentence
            case .interrupted, .crashReport, .opened, .closed, .revived: break
            }
        }
        return update()
    }

    /// Notes why processes that share the displayed state have an older one, or nil if they do not.
    ///
    /// - Returns: A Boolean value that indicates whether the status has changed.
    package mutating func note(sharingProblem: String?) -> Bool {
        self.sharingProblem = sharingProblem
        return update()
    }

    private mutating func update() -> Bool {
        let host = reported.with(problem: problem)
        defer { self.host = host }
        return host != self.host
    }
}
