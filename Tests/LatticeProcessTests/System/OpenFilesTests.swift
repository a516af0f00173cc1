// The open files are counted in separate processes.
#if os(Linux)

import CLatticeSystem
import Glibc
import Testing

@testable import LatticeProcess

@Suite(.timeLimit(.minutes(10))) struct OpenFilesTests {
    @Test("The system's list of open files agrees with trying each number, and leaves nothing open")
    func theListOfTheSystemSaysWhatTryingEachNumberSays() async {
        await #expect(processExitsWith: .success) {
            // Other threads of the process open files too, now and then: of many looks one is not disturbed.
            func once(_ isSo: () -> Bool) -> Bool { (0..<1000).contains { _ in isSo() } }
            precondition(once { OpenFiles.count(below: 512) == OpenFiles.tried(below: 512) })
            let opened = (0..<7).map { _ in Int(dup(STDERR_FILENO)) }
            let high = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 500)
            precondition(opened.allSatisfy { $0 >= 0 } && high >= 500)
            precondition(Set(OpenFiles.listed ?? []).isSuperset(of: opened + [Int(high)]))
            precondition(once { OpenFiles.count(below: Int(high) + 1) == OpenFiles.count(below: Int(high)) + 1 })
            precondition(once { OpenFiles.count(below: 512) == OpenFiles.tried(below: 512) })
        }
    }

    @Test("In a program without standard input and output, the signal pipe does not take their numbers")
    func theLineOfSignalsIsNoStandardDescriptor() async {
        await #expect(processExitsWith: .success) {
            close(STDIN_FILENO)
            close(STDOUT_FILENO)
            let line = lattice_signal_line()
            precondition(line > STDERR_FILENO)
            // Free, as before, so that nothing that is printed goes into the line.
            precondition(fcntl(STDIN_FILENO, F_GETFD) == -1 && fcntl(STDOUT_FILENO, F_GETFD) == -1)
        }
    }

    @Test("Without a descriptor for the list, each number is tried")
    func withoutADescriptorForTheListEachNumberIsTried() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            // A file that another thread had open meanwhile, and closes now, leaves its number free: that is filled,
            // too.
            let isSeen = (0..<1000).contains { _ in
                while dup(STDIN_FILENO) >= 0 {}
                return OpenFiles.listed == nil && OpenFiles.count(below: 64) == 64
            }
            precondition(isSeen)
        }
    }
}

#endif
