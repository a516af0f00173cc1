import LatticeCore
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// Groups in groups whose workers do what they like, in an order that a seed decides.
struct GroupStateRandomTests {
    /// The phase of a worker, as its supervisor would report it.
    fileprivate enum MemberPhase {
        case waiting, ready, starting, serving, ending, out, stopping, gone
    }

    private struct World {
        var state: GroupState
        var parents: [Int: Int] = [:]
        var rules: [Int: GroupRules]
        var phases: [Int: MemberPhase] = [:]
        /// The group for which each worker was last ordered to end.
        var enders: [Int: String] = [:]
        var waits: [GroupState.Wait] = []
        /// The number of deaths that may still happen.
        var deaths = 60
        var now = ContinuousClock.now
        var faults: [String] = []
        var log: [String] = []
    }

    private static let strategies: [WorkerGroup.Strategy] = [.oneForOne, .oneForAll, .restForOne]

    private func make(_ generator: inout SeededGenerator) -> World {
        func rules(_ number: Int, _ generator: inout SeededGenerator) -> GroupRules {
            let strategy = Self.strategies.randomElement(using: &generator) ?? .oneForOne
            let restarts = Bool.random(using: &generator) ? Int.random(in: 0...6, using: &generator) : nil
            let shutdown: WorkerGroup.AutoShutdown = Int.random(in: 0..<4, using: &generator) == 0 ? .any : .never
            return .test("g\(number)", strategy, shutdown, restarts: restarts, kind: .transient)
        }
        let root = rules(0, &generator)
        var world = World(state: GroupState(root), rules: [0: root])
        var groups = [0]
        for number in 1...Int.random(in: 2...9, using: &generator) {
            let group = groups.randomElement(using: &generator) ?? 0
            if Int.random(in: 0..<3, using: &generator) == 0, groups.count < 4 {
                let rules = rules(number, &generator)
                let id = world.state.addGroup(rules, to: group)
                world.rules[id] = rules
                world.parents[id] = group
                groups.append(id)
            } else {
                let id = world.state.addWorker(to: group)
                world.parents[id] = group
                world.phases[id] = .waiting
            }
        }
        return world
    }

    @Test("After random events, the order of starts holds, and all workers serve or their group is given up")
    func invariants() {
        let seed = UInt64.random(in: 0...(.max))
        for run in 0..<400 {
            var generator = SeededGenerator(seed: seed &+ UInt64(run))
            var world = make(&generator)
            let stopAt = Bool.random(using: &generator) ? Int.random(in: 0..<200, using: &generator) : nil
            var steps = 0
            while world.faults.isEmpty, steps < 5000, step(&world, &generator, isStopping: steps == stopAt) {
                steps += 1
            }
            if world.faults.isEmpty { checkEnd(&world, hasStopped: world.state.isStopping) }
            let sentence = "seed \(seed &+ UInt64(run)): \(world.faults) after \(world.log.suffix(40))"
            #expect(world.faults.isEmpty && steps < 5000, Comment(rawValue: sentence))
            if !world.faults.isEmpty { return }
        }
    }

    /// Performs one of the possible next steps.
    ///
    /// - Returns: Whether there was one.
    private func step(_ world: inout World, _ generator: inout SeededGenerator, isStopping: Bool) -> Bool {
        if isStopping {
            world.log.append("stop")
            obey(world.state.stop(), &world)
            return true
        }
        world.now += .milliseconds(Int.random(in: 0...200, using: &generator))
        let movers = world.phases.filter { $0.value.moves || ($0.value == .serving && world.deaths > 0) }
        let choices = movers.keys.sorted().map(Optional.some) + (world.waits.isEmpty ? [] : [nil])
        guard let choice = choices.randomElement(using: &generator) else { return false }
        guard let worker = choice else {
            let wait = world.waits.remove(at: .random(in: 0..<world.waits.count, using: &generator))
            world.log.append("\(wait.group) waited")
            obey(world.state.waited(wait, at: world.now), &world)
            return true
        }
        move(worker, &world, &generator)
        return true
    }

    private func move(_ worker: Int, _ world: inout World, _ generator: inout SeededGenerator) {
        let isUnlucky = world.deaths > 0 && Int.random(in: 0..<3, using: &generator) == 0
        switch world.phases[worker] {
        case .waiting?:
            world.phases[worker] = .ready
            world.log.append("\(worker) ready")
            obey(world.state.ready(worker, at: world.now), &world)
        case .starting? where !isUnlucky:
            world.phases[worker] = .serving
            world.log.append("\(worker) serves")
            obey(world.state.served(worker), &world)
        case .ending? where !isUnlucky:
            world.phases[worker] = .ready
            world.log.append("\(worker) ends")
            end(worker, .inOrder, &world)
        case .stopping?:
            world.phases[worker] = .gone
            world.log.append("\(worker) leaves")
            obey(world.state.left(worker), &world)
        case .starting?, .serving?, .ending?:
            world.deaths -= 1
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                world.phases[worker] = .out
                world.log.append("\(worker) done")
                end(worker, .done(.exit(code: 0)), &world)
            case 1:
                world.phases[worker] = .out
                world.log.append("\(worker) fails")
                end(worker, .givenUp, &world)
            default:
                world.phases[worker] = .waiting
                world.log.append("\(worker) dies")
                end(worker, .died(.init(incarnation: UInt64(world.deaths), cause: .signal(9))), &world)
            }
        case .ready?, .out?, .gone?, nil: break
        }
    }

    private func end(_ worker: Int, _ end: GroupState.End, _ world: inout World) {
        obey(world.state.ended(worker, end, at: world.now, chance: 0.5), &world)
    }

    /// Does what was ordered, and finds what must not be.
    private func obey(_ orders: [GroupState.Order], _ world: inout World) {
        for order in orders {
            switch order {
            case .start(let worker):
                world.log.append("  start \(worker)")
                if world.phases[worker] != .ready { world.faults.append("\(worker) starts unasked") }
                if world.state.isStopping { world.faults.append("\(worker) starts during a stop") }
                world.phases[worker] = .starting
                checkOrder(of: worker, &world)
            case .end(let worker, let group):
                world.log.append("  end \(worker)")
                if world.phases[worker] != .starting, world.phases[worker] != .serving {
                    world.faults.append("\(worker) ends, and is not there")
                }
                world.phases[worker] = .ending
                world.enders[worker] = group
            case .giveUp(let worker, _):
                world.log.append("  give up \(worker)")
                if world.phases[worker] != .ready, world.phases[worker] != .waiting {
                    world.faults.append("\(worker) is given up, and is there")
                }
                world.phases[worker] = .out
            case .revive(let worker, _):
                world.log.append("  revive \(worker)")
                if world.phases[worker] != .out { world.faults.append("\(worker) is revived, and was not given up") }
                world.phases[worker] = .waiting
            case .stop(let worker):
                world.log.append("  stop \(worker)")
                world.phases[worker] = .stopping
            case .wait(let wait, _): world.waits.append(wait)
            case .emit: break
            }
        }
    }

    /// Checks that in an ordered group a worker starts after all earlier ones, and while no worker ends.
    private func checkOrder(of worker: Int, _ world: inout World) {
        var child = worker
        while let group = world.parents[child] {
            if world.rules[group]?.strategy != .oneForOne {
                for sibling in world.parents.keys.sorted() where world.parents[sibling] == group && sibling != child {
                    let workers = workers(in: sibling, world)
                    let name = world.rules[group]?.name
                    if workers.contains(where: { world.phases[$0] == .ending && world.enders[$0] == name }) {
                        world.faults.append("\(worker) starts beside \(sibling), which ends")
                    }
                    if sibling < child, world.state.groups[sibling]?.phase == .running,
                        workers.contains(where: { world.phases[$0]?.isThere == false })
                    {
                        world.faults.append("\(worker) starts before \(sibling)")
                    }
                }
            }
            child = group
        }
    }

    private func workers(in id: Int, _ world: World) -> [Int] {
        world.phases[id] != nil
            ? [id] : world.parents.keys.filter { world.parents[$0] == id }.flatMap { workers(in: $0, world) }
    }

    private func checkEnd(_ world: inout World, hasStopped: Bool) {
        for (worker, phase) in world.phases {
            switch phase {
            case .gone where hasStopped: break
            case .serving where !hasStopped, .out where !hasStopped: break
            default: world.faults.append("\(worker) stays \(phase)")
            }
        }
    }
}

extension GroupStateRandomTests.MemberPhase {
    /// Whether something happens to it by itself.
    fileprivate var moves: Bool {
        switch self {
        case .waiting, .starting, .ending, .stopping: true
        case .ready, .serving, .out, .gone: false
        }
    }

    /// A Boolean value that indicates whether later workers may start.
    fileprivate var isThere: Bool { self == .serving || self == .out }
}
