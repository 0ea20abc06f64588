/* The check-in of N ranks at one root (gather star, commit root), written a second time, from docs/protocol.md, for
 * another tool. What the explorer finds of the real machine is compared with what spin finds of this:
 *
 *   spin -a -DN=3 -DCRASHES=1 check_in.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan | grep OUTCOME | sort -u
 *
 * A world at rest prints a line: who died (a bit per rank), how the round ended at the root, about whom (255: nobody),
 * and who is missing (a bit per rank). Of the ring there is only this: who holds the table notices that a neighbour is
 * dead, and tells the root. Messages take their time and keep their order; nobody's deadline comes before they are read.
 */
#ifndef N
#define N 3
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#define NOBODY 255

/* How the round stands. */
#define COLLECTING 0
#define COMMITTING 1
#define FINISHED 2
#define MISSING 3
#define ACCUSED 4

mtype = { hello, challenge, proof, check_in, table, done, commit, verdict, lost, end_of_stream };

chan up[N] = [6] of { mtype, byte };  /* from a rank; the byte: whom `lost` is about */
chan down[N] = [6] of { mtype };

bool begun[N], dead[N], failed[N], ready[N], has_table[N], said_done[N];
bool is_in[N], is_done[N], closed[N];  /* as the root knows it */
byte in_count, done_count, crashes;
byte round = COLLECTING;
byte about = NOBODY;

#define ROUND_OVER (round == FINISHED || round == MISSING || round == ACCUSED)
#define ALIVE(r) (!dead[r] && !failed[r])
/* Nothing is on its way from or to this rank: only then may time move on. */
#define QUIET(r) (len(up[r]) == 0 && (!ALIVE(r) || (begun[r] && len(down[r]) == 0)))

#if N == 1
#define QUIET_EVERYWHERE QUIET(0)
#elif N == 2
#define QUIET_EVERYWHERE (QUIET(0) && QUIET(1))
#elif N == 3
#define QUIET_EVERYWHERE (QUIET(0) && QUIET(1) && QUIET(2))
#else
#define QUIET_EVERYWHERE (QUIET(0) && QUIET(1) && QUIET(2) && QUIET(3))
#endif

inline tell_everyone(what)
{
    t = 0;
    do
    :: t < N ->
        if
        :: is_in[t] && !closed[t] -> down[t]!what; closed[t] = (what != table)
        :: else
        fi;
        t++
    :: else -> break
    od
}

inline accuse(whom)
{
    if
    :: !ROUND_OVER -> round = ACCUSED; about = whom; tell_everyone(verdict)
    :: else
    fi
}

inline fail(r)
{
    failed[r] = true;
    up[r]!end_of_stream, NOBODY
}

proctype Rank(byte me)
{
    byte next = (me + 1) % N;
    byte previous = (me + N - 1) % N;
end:
    do
    :: atomic { ALIVE(me) && !begun[me] -> begun[me] = true; up[me]!hello, NOBODY }
    :: atomic { ALIVE(me) && !ready[me] && down[me]?[challenge] ->
            down[me]?challenge; up[me]!proof, NOBODY; up[me]!check_in, NOBODY }
    :: atomic { ALIVE(me) && !ready[me] && down[me]?[table] -> down[me]?table; has_table[me] = true }
    :: atomic { ALIVE(me) && has_table[me] && !said_done[me] && has_table[next] && has_table[previous] ->
            said_done[me] = true; up[me]!done, NOBODY }
    :: atomic { ALIVE(me) && !ready[me] && down[me]?[commit] -> down[me]?commit; ready[me] = true }
    :: atomic { ALIVE(me) && !ready[me] && down[me]?[verdict] -> down[me]?verdict; fail(me) }
    :: atomic { ALIVE(me) && !ready[me] && has_table[me] && dead[next] -> up[me]!lost, next; fail(me) }
    :: atomic { ALIVE(me) && !ready[me] && has_table[me] && dead[previous] -> up[me]!lost, previous; fail(me) }
    od
}

/* The root, as far as it reads from rank r. It reads one message at a time, of whomever it likes. */
proctype Root(byte r)
{
    byte t, whom;
end:
    do
    :: atomic { up[r]?[hello] -> up[r]?hello, whom; down[r]!challenge }
    :: atomic { up[r]?[proof] -> up[r]?proof, whom }
    :: atomic { up[r]?[check_in] ->
            up[r]?check_in, whom;
            if
            :: ROUND_OVER -> down[r]!verdict; closed[r] = true
            :: else ->
                is_in[r] = true;
                in_count++;
                if
                :: in_count == N -> round = COMMITTING; tell_everyone(table)
                :: else
                fi
            fi
       }
    :: atomic { up[r]?[done] ->
            up[r]?done, whom;
            is_done[r] = true;
            done_count++;
            if
            :: !ROUND_OVER && done_count == N -> round = FINISHED; tell_everyone(commit)
            :: else
            fi
       }
    :: atomic { up[r]?[lost] -> up[r]?lost, whom; accuse(whom) }
    :: atomic { up[r]?[end_of_stream] ->
            up[r]?end_of_stream, whom;
            if
            :: is_in[r] && !is_done[r] && !closed[r] -> closed[r] = true; accuse(r)
            :: else -> closed[r] = true
            fi
       }
    od
}

/* Time moves on when nothing is on its way: then the root says who is missing, if anybody told it a deadline. */
proctype Clock()
{
    byte t;
end:
    atomic {
        round == COLLECTING && in_count > 0 && in_count < N && QUIET_EVERYWHERE ->
        round = MISSING;
        t = 0;
        do
        :: t < N ->
            if
            :: !is_in[t] && about == NOBODY -> about = t
            :: else
            fi;
            t++
        :: else -> break
        od;
        tell_everyone(verdict)
    }
}

proctype Reaper()
{
    byte r;
    do
    :: crashes < CRASHES ->
        atomic {
            select(r : 0 .. N - 1);
            if
            :: ALIVE(r) -> crashes++; dead[r] = true; up[r]!end_of_stream, NOBODY
            :: else
            fi
        }
    :: break
    od
}

byte died_mask, missing_mask;

init {
    byte r;
    atomic {
        for (r : 0 .. N - 1) {
            run Rank(r);
            run Root(r)
        }
        run Clock();
        run Reaper()
    }
    timeout ->
    d_step {
        for (r : 0 .. N - 1) {
            died_mask = died_mask | (dead[r] << r);
            missing_mask = missing_mask | ((round == MISSING && !is_in[r]) << r)
        }
        printf("OUTCOME died %d round %d about %d missing %d\n", died_mask, round, about, missing_mask)
    }
}
