import Lattice
import LatticeCoding
import LatticeWire
import Testing

/// Whatever the two values are, the patch from the one to the other turns the one into the other.
@Suite(.timeLimit(.minutes(10))) struct PatchableLawTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func structs(seed: UInt64) throws {
        try check(seed, from: ArchiveState(name: "a")) { $0.change(&$1) }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func enums(seed: UInt64) throws {
        try check(seed, from: ProgressState.idle) { $0.change(&$1) }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func observableStates(seed: UInt64) throws {
        try check(seed, from: BoardViewState(name: "a")) { $0.change(&$1) }
    }

    private func check<Value: Patchable>(
        _ seed: UInt64,
        from first: Value,
        _ change: (inout Value, inout SeededGenerator) -> Void
    ) throws {
        var generator = SeededGenerator(seed: seed)
        var values = [first]
        for _ in 0..<100 {
            var next = values[values.count - 1]
            for _ in 0..<Int.random(in: 0..<5, using: &generator) { change(&next, &generator) }
            values.append(next)
        }
        // One after the other, also to a value that shares nothing with them, and folded.
        var copy = try CBORDecoder().decode(Value.self, from: encoded(first))
        var (start, folded): (Value, StateChange?) = (first, nil)
        for (position, (old, new)) in zip(values, values.dropFirst()).enumerated() {
            try checkLaw(old, new)
            guard let patch = try new.patch(from: old) else { continue }
            try copy.apply(patch)
            #expect(copy == new)
            let change = StateChange(patch.bytes)
            let total = try folded?.folded(with: change) ?? change
            var changed = start
            try changed.apply(Patch(bytes: total.bytes))
            #expect(changed == new)
            (start, folded) = position % 10 == 9 ? (new, nil) : (start, total)
        }
        for _ in 0..<60 {
            let pair = (0..<2).map { _ in values[Int.random(in: values.indices, using: &generator)] }
            try checkLaw(pair[0], pair[1])
        }
    }
}

extension ArchiveState {
    fileprivate mutating func change(_ generator: inout SeededGenerator) {
        let number = Int.random(in: 0..<20, using: &generator)
        switch Int.random(in: 0..<14, using: &generator) {
        case 0: self = ArchiveState(name: number % 5 == 0 ? "b" : name)
        case 1: note = number % 3 == 0 ? nil : "\(number)"
        case 2: count = number
        case 3: raise()
        case 4: files["\(number)"] = number % 4 == 0 ? nil : FileState(id: number)
        case 5: files["\(number)"]?.words["\(number % 3)"] = number
        case 6: plain.append(FileState(id: number))
        case 7: if !plain.isEmpty { plain[number % plain.count].size += 1 }
        case 8: if !plain.isEmpty { plain.remove(at: number % plain.count) }
        case 9: whole = number % 3 == 0 ? nil : WholeState(text: "\(number)")
        case 10: percent = number
        case 11: `default`.toggle()
        case 12: limited = number
        default: progress.change(&generator)
        }
    }
}

extension ProgressState {
    fileprivate mutating func change(_ generator: inout SeededGenerator) {
        let number = Int.random(in: 0..<20, using: &generator)
        switch (self, number % 5) {
        case (.running(var file, var steps, let label), 1...):
            file.size = number % 3
            steps.insert(number, at: number % (steps.count + 1))
            self = .running(file, steps: steps, number % 4 == 0 ? nil : label ?? "\(number)")
        case (.paused(var progress), 1...):
            progress.change(&generator)
            self = .paused(progress)
        case (_, 0): self = .idle
        case (_, 1): self = .failed(for: "\(number)")
        case (_, 2): self = .paused(self)
        default: self = .running(FileState(id: number), steps: [])
        }
    }
}

extension BoardViewState {
    fileprivate mutating func change(_ generator: inout SeededGenerator) {
        let number = Int.random(in: 0..<20, using: &generator)
        switch Int.random(in: 0..<11, using: &generator) {
        case 0: self = BoardViewState(name: number % 5 == 0 ? "b" : name)
        case 1: title = "\(number)"
        case 2: if !rows.contains(where: { $0.id == number }) { rows.append(RowState(id: number)) }
        case 3: if let row = rows.randomElement(using: &generator) { rows[id: row.id]?.text = "\(number)" }
        case 4: if let row = rows.randomElement(using: &generator) { rows.move(id: row.id, to: number % rows.count) }
        case 5: if !rows.isEmpty { rows.remove(at: number % rows.count) }
        case 6: selected = number % 3 == 0 ? nil : RowState(id: number % 2, text: "\(number)")
        case 7: mode = [.closed, .open(RowState(id: number)), .several(RowState(id: 1), number)][number % 3]
        case 8: visit()
        case 9: percent = number
        default: cache = number
        }
    }
}
