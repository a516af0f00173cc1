// For a host that hands the state to somebody else before effects start, and may find that it cannot.
extension FeatureRuntime {
    // MARK: Effects that wait

    func hold(_ effect: Effect<Action>) {
        effect.tree.completion.hasEffects = true
        waitingEffects.append(effect)
        waitingCount += 1
    }

    /// Starts the oldest ones.
    func startWaitingEffects(_ count: Int) {
        let effects: [Effect<Action>]
        if count >= waitingCount {
            effects = waitingEffects
            waitingEffects = []
            waitingCount = 0
        } else {
            effects = Array(waitingEffects.prefix(count))
            waitingEffects.removeFirst(count)
            waitingCount -= count
        }
        for effect in effects where !effect.hasEnded {
            if effect.tree.begin(effect: effect.id) { start(effect) } else { end(effect) }
        }
    }

    /// How many effects turns have left behind, in `held` mode.
    package var heldEffects: Int { waitingCount }

    /// Starts the oldest of them.
    package func startHeldEffects(_ count: Int = .max) {
        assert(isIsolated())
        startWaitingEffects(count)
        // A cancelled effect that never starts may have been the last of its event.
        if !isInTurn { finishTurn() }
    }

    // MARK: States that cannot be handed on

    func noteAct(of effect: Effect<Action>) {
        acted[effect.tree.id] = effect.tree
    }

    /// Says that the present state can be handed on, so that it is never rolled back behind it.
    package func secure() {
        if !acted.isEmpty { acted = [:] }
    }

    /// Goes back to a state, between turns. Events of which effects have acted since the state was secured fail: what
    /// they have added is lost. The effects that sent events have asked for since wait; their host cancels them.
    ///
    /// - Returns: whether there were such effects.
    package func rollBack(to state: State, failing failure: EffectFailure) -> Bool {
        assert(isIsolated() && !isInTurn)
        self.state = state
        let trees = acted.values.sorted { $0.id < $1.id }
        acted = [:]
        for tree in trees {
            tree.stop(failure)
            tree.complete()
        }
        return !trees.isEmpty
    }
}
