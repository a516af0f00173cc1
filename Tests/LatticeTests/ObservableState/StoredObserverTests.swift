import Lattice
import Testing

/// Variables of an observable state whose observers read and write the variable itself, as those of a plain one may.
@ObservableState
struct SelfSettingState: Equatable, Sendable {
    var limited = 0 { didSet { limited = min(limited, 9) } }
    var explicit = 0 {
        didSet {
            if self.explicit > 9 { self.explicit = 9 }
            changes += 1
        }
    }
    var grown = 0 { didSet { grown += grown % 2 } }
    var names: [String] = [] {
        didSet {
            names.sort()
            if names.count > 3 { names.removeLast(names.count - 3) }
            for index in names.indices where names[index].isEmpty { names[index] = "\(names.count)" }
        }
    }
    var before = 0 {
        willSet(next) {
            changes += next - before
        }
    }
    var `default` = 0 { didSet { if `default` < 0 { self.`default` = 0 } } }
    var optional: Int? {
        didSet {
            if let optional, optional > 9 { self.optional = 9 }
            guard let optional else { return }
            changes += optional
        }
    }
    var shadowed = 0 {
        didSet {
            do {
                var shadowed = oldValue
                shadowed += 1
                changes += shadowed
            }
            [1].forEach { shadowed in changes += shadowed }
            shadowed = max(shadowed, 1)
        }
    }
    var other = 0 {
        didSet {
            let copy = self
            changes += copy.other
            limited = other
        }
    }
    var changes = 0
}

@MainActor
@Suite(.timeLimit(.minutes(3)))
struct StoredObserverTests {
    @Test("An observer that sets its own variable is not called again, as in a plain struct")
    func observersMaySetTheirOwnVariable() {
        var level = SelfSettingState()
        level.limited = 12
        #expect(level.limited == 9)
        level.explicit = 12
        #expect(level.explicit == 9)
        #expect(level.changes == 1)
        level.grown = 5
        #expect(level.grown == 6)
        level.names = ["d", "", "c", "b"]
        #expect(level.names == ["3", "b", "c"])
        level.names.append("a")
        #expect(level.names == ["3", "a", "b"])
        level.default = -1
        #expect(level.default == 0)
    }

    @Test("`willSet` reads its own variable as it was")
    func willSetReadsItsOwnVariable() {
        var level = SelfSettingState()
        level.before = 3
        level.before = 7
        #expect(level.before == 7)
        #expect(level.changes == 7)
    }

    @Test("In an observer a local name stays what it is, and other variables have their observers called")
    func otherNamesStayWhatTheyAre() {
        var level = SelfSettingState()
        level.optional = 12
        #expect(level.optional == 9)
        #expect(level.changes == 9)
        level.changes = 0
        level.shadowed = -5
        #expect(level.shadowed == 1)
        #expect(level.changes == 2)
        level.changes = 0
        level.other = 20
        #expect(level.other == 20)
        #expect(level.changes == 20)
        #expect(level.limited == 9)
    }

    @Test("Who has read such a variable hears of its change once")
    func observersHearOfIt() {
        let viewModel = makeModel(SelfSettingState())
        var level = viewModel.viewState
        level.limited = 12
        let readers: [(String, () -> Void)] = [
            ("limited", { _ = viewModel.limited }), ("grown", { _ = viewModel.grown }),
        ]
        #expect(whoHears(readers) { viewModel.sendViewEvent(level) } == ["limited"])
        #expect(viewModel.limited == 9)
        level.limited = 50
        #expect(whoHears(readers) { viewModel.sendViewEvent(level) } == [])
    }
}
