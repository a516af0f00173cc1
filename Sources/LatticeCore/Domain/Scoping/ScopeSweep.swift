/// One look for the children whose part of the state is gone, to end their effects.
///
/// A runtime looks after an action, and only while effects run that belong to such a child.
struct ScopeSweep {
    /// Whether everything that was emitted has been looked at; before that, a scope that is not live may become it.
    let isTurnOver: Bool
    private let isLive: (EffectID) -> Bool
    /// What is to be cancelled.
    private(set) var ended: [EffectID] = []

    init(isTurnOver: Bool, isLive: @escaping (EffectID) -> Bool) {
        self.isTurnOver = isTurnOver
        self.isLive = isLive
    }

    /// Whether effects of a scope run.
    func isLive(_ scope: EffectID) -> Bool { isLive(scope) }

    mutating func end(_ scope: EffectID) {
        if isLive(scope) { ended.append(scope) }
    }
}
