package import LatticeCore
package import LatticeHosting
import LatticeSession
package import LatticeWire

/// Records what a channel delivers, in order.
package final class ChannelRecorder<State: Decodable & Sendable & Equatable>: Sendable {
    package struct Record: Sendable {
        package var states: [State] = []
        package var hosts: [HostStatus] = []
        package var problems: [String?] = []
        package var acknowledged: UInt64 = 0
        package var opened = 0
        package var rejection: EventRejection?
        package var refusal: OpenRefusalCode?
        package var interrupted: [Interruption] = []
        package var reports: [CrashReportMessage] = []
        /// The number of events that have ended.
        package var endings = 0
    }

    package let record = Watched(Record())
    /// A closure that runs on the event loop after each delivery was recorded.
    package let onDelivery = Watched<@Sendable () -> Void>({})

    package init() {}

    /// Records a delivery in the order of a view model: the state first, then the outcomes.
    package func receive(_ delivery: Delivery<State>) {
        let state = delivery.decodeState()
        let update = delivery.channelUpdate
        record.change { record in
            if let state { record.states.append(state) }
            for change in update.changes {
                switch change {
                case .host(let host): record.hosts.append(HostStatus(host.status, from: host.coordinator))
                case .problem(let problem): record.problems.append(problem)
                case .crashReport(let message): record.reports.append(message)
                case .interrupted(let interrupted): record.interrupted.append(Interruption(interrupted))
                case .opened, .closed, .revived: break
                }
            }
            record.acknowledged = update.acknowledged
            if update.isOpened { record.opened += 1 }
            if let end = update.end {
                if case .rejected(let rejection) = EventOutcome(end.outcome) { record.rejection = rejection }
                record.refusal = end.refusal
            }
        }
        onDelivery.value()
        for ending in update.endings { ending.promise.ended(ending.outcome) }
        if !update.endings.isEmpty { record.change { $0.endings += update.endings.count } }
    }
}
