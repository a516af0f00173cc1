import LatticeCore
import Testing

@testable import LatticeCoordinator

/// A group with named workers and nested groups. Tests give its state inputs as words and get orders as words.
struct GroupBench {
    /// A child of a group.
    indirect enum Child: Sendable {
        case worker(String)
        case group(GroupRules, [Child])
    }

    private(set) var state: GroupState
    private(set) var names: [GroupState.ID: String] = [:]
    /// The notes for the log, oldest first.
    private(set) var notes: [String] = []
    /// The reasons for which workers were given up with their groups.
    private(set) var failures: [String] = []
    private(set) var waits: [GroupState.Wait] = []
    private(set) var parents: [GroupState.ID: GroupState.ID] = [:]
    private(set) var rules: [GroupState.ID: GroupRules]
    var now = ContinuousClock.now
    private var incarnations: UInt64 = 0

    init(_ rules: GroupRules, _ children: [Child]) {
        state = GroupState(rules)
        names[0] = rules.name
        self.rules = [0: rules]
        add(children, to: 0)
    }

    private mutating func add(_ children: [Child], to group: GroupState.ID) {
        for child in children {
            switch child {
            case .worker(let name): addWorker(name, to: group)
            case .group(let rules, let children):
                let id = state.addGroup(rules, to: group)
                names[id] = rules.name
                parents[id] = group
                self.rules[id] = rules
                add(children, to: id)
            }
        }
    }

    mutating func addWorker(_ name: String, to group: GroupState.ID) {
        let id = state.addWorker(to: group)
        names[id] = name
        parents[id] = group
    }

    func id(_ name: String) -> GroupState.ID { names.first { $0.value == name }?.key ?? -1 }

    /// Passes an input such as "a ready", "a serves", "a dies" or "stop" to the state, and returns its orders as words.
    mutating func tell(_ sentence: String) -> String {
        let words = sentence.split(separator: " ").map(String.init)
        let worker = id(words[0])
        if ["dies", "excused", "poisoned"].contains(words.last) { incarnations += 1 }
        let death = GroupState.Death(incarnation: incarnations, cause: .signal(9))
        switch words.last {
        case "ready": return speak(state.ready(worker, at: now))
        case "serves": return speak(state.served(worker))
        case "dies": return end(worker, .died(death))
        case "excused":
            return end(worker, .died(.init(incarnation: incarnations, cause: .signal(9), excuse: .answered)))
        case "poisoned":
            let excuse = RestartBudget.Excuse.quarantined(incarnations: [incarnations - 1, incarnations])
            return end(worker, .died(.init(incarnation: incarnations, cause: .signal(9), excuse: excuse)))
        case "ends": return end(worker, .inOrder)
        case "done": return end(worker, .done(.exit(code: 0)))
        case "fails": return end(worker, .givenUp)
        case "lacks": return end(worker, .lacked)
        case "leaves": return speak(state.left(worker))
        case "reset": return speak(state.reset(worker, at: now))
        case "stop": return speak(state.stop())
        case "waited":
            guard let wait = waits.last(where: { names[$0.group] == words[0] }) else { return "no wait" }
            return speak(state.waited(wait, at: now))
        default: return "what is \"\(sentence)\"?"
        }
    }

    private mutating func end(_ worker: GroupState.ID, _ end: GroupState.End) -> String {
        speak(state.ended(worker, end, at: now, chance: 0.5))
    }

    mutating func speak(_ orders: [GroupState.Order]) -> String {
        var spoken: [String] = []
        for order in orders {
            switch order {
            case .start(let worker): spoken.append("start \(name(worker))")
            case .end(let worker, let group): spoken.append("end \(name(worker)) by \(group)")
            case .giveUp(let worker, let failure):
                spoken.append("give up \(name(worker))")
                failures.append(failure.reason)
            case .revive(let worker, let revival): spoken.append("revive \(name(worker)) \(revival)")
            case .stop(let worker): spoken.append("stop \(name(worker))")
            case .wait(let wait, let delay):
                waits.append(wait)
                spoken.append("wait \(name(wait.group)) \(delay)")
            case .emit(let event): notes.append("\(event)")
            }
        }
        return spoken.joined(separator: ", ")
    }

    private func name(_ id: GroupState.ID) -> String { names[id] ?? "?" }
}

extension GroupRules {
    static func test(
        _ name: String,
        _ strategy: WorkerGroup.Strategy = .oneForOne,
        _ autoShutdown: WorkerGroup.AutoShutdown = .never,
        restarts: Int? = nil,
        kind: RestartPolicy.Kind = .permanent,
        isDynamic: Bool = false
    ) -> GroupRules {
        var restart = RestartPolicy()
        restart.jitter = 0
        restart.intensity.restarts = 1
        // However busy the machine is.
        restart.stableTime = .seconds(86_400)
        restart.kind = kind
        return GroupRules(
            name: name,
            strategy: strategy,
            autoShutdown: autoShutdown,
            intensity: restarts.map { RestartIntensity(restarts: $0, period: .seconds(10)) },
            restart: restart,
            isDynamic: isDynamic
        )
    }
}
