import Lattice
import Testing

/// Variables whose observers write only the variable itself.
@ObservableState
struct LimitedState: Equatable, Sendable {
    var limited = 0 { didSet { limited = min(limited, 9) } }
    var grown = 0 { didSet { grown += grown % 2 } }
}

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

/// Variables whose observers have locals of the same name, and set the variable where these are not known.
@ObservableState
struct ShadowingState: Equatable, Sendable {
    struct TooLarge: Error {
        var number: Int
    }

    var branched: Int? {
        didSet {
            if let branched, branched < 10 { changes += branched } else { branched = 9 }
        }
    }
    var mapped: [Int] = [] {
        didSet {
            if mapped.contains(where: { mapped in mapped > 9 }) { mapped = mapped.map { mapped in min(mapped, 9) } }
        }
    }
    var cased: Int? {
        didSet {
            switch cased {
            case let cased? where cased > 9: changes += cased
            case nil: cased = 1
            default: break
            }
        }
    }
    var caught = 0 {
        didSet {
            do {
                if caught > 9 { throw TooLarge(number: caught) }
                if caught < 0 { throw CancellationError() }
            } catch let caught as TooLarge {
                changes += caught.number
            } catch {
                caught = 0
            }
        }
    }
    var looped: [Int] = [] {
        didSet {
            for looped in looped where looped > 9 { changes += looped }
            looped.sort()
        }
    }
    var nested = 0 {
        didSet {
            func add(nested: Int) { changes += nested }
            add(nested: nested)
            do {
                let nested = nested + 1
                changes += nested
            }
            nested = 5
        }
    }
    var changes = 0
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
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

    @Test("`willSet` reads the old value of its own variable")
    func willSetReadsItsOwnVariable() {
        var level = SelfSettingState()
        level.before = 3
        level.before = 7
        #expect(level.before == 7)
        #expect(level.changes == 7)
    }

    @Test("In an observer, local names keep their meaning, and other variables call their observers")
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

    @Test("A local name hides the variable only in its scope, and elsewhere the observer sets the variable")
    func localNamesHideTheVariableWhereTheyAreKnown() {
        var state = ShadowingState()
        state.branched = 3
        #expect(state.branched == 3)
        state.branched = 12
        #expect(state.branched == 9)
        #expect(state.changes == 3)
        state.mapped = [1, 12]
        #expect(state.mapped == [1, 9])
        state.cased = 12
        #expect(state.changes == 15)
        state.cased = nil
        #expect(state.cased == 1)
        state.caught = 10
        #expect(state.caught == 10)
        #expect(state.changes == 25)
        state.caught = -1
        #expect(state.caught == 0)
        state.looped = [20, 1]
        #expect(state.looped == [1, 20])
        #expect(state.changes == 45)
        state.nested = 1
        #expect(state.nested == 5)
        #expect(state.changes == 48)
    }

    @Test("A reader of a variable with observers is notified once per change")
    func observersHearOfIt() {
        let viewModel = makeModel(LimitedState())
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
